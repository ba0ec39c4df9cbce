"""Topics of documents."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from . import _xray_nmf
from ._documents import Known, documents_of
from ._input import threads
from ._progress import progress_if
from ._request import memory_of
from ._topic_documents import TopicDocuments
from ._topic_edit import TopicEdit
from ._topic_evidence import TopicEvidence
from ._topic_file import TopicFile
from ._topic_groups import TopicGroups
from ._topic_levels import TopicLevels
from ._topic_report import TopicReport
from ._topic_request import text_request, topics_request
from ._topic_table import shares_of, topic_table
from ._types import Engine, Floats, Indices, Keep, Normalize, Refinement, Selection, Solver
from ._words import Preprocessor, Tokenizer
from ._xray_nmf import Documents, Model

if TYPE_CHECKING:
    import pandas as pd

Weighting = Literal["tfidf", "counts", "none"]


class TopicModel(
    TopicEvidence,
    TopicDocuments,
    TopicGroups,
    TopicLevels,
    TopicReport,
    TopicEdit,
    TopicFile,
    TransformerMixin,
    BaseEstimator,
):
    """Topics of documents, each with an anchor word, and how documents are made of them.

    Does what the program ``xray topics`` does, to the same bits: texts become tf-idf weights,
    anchor words are chosen, topics are refined, every document is weighed. There is no random
    start. `save` and `load` use the program's model file.

    Parameters
    ----------
    n_topics : int, "auto" or "fast", default="auto"
        How many topics. "auto" takes, of the numbers up to `max_topics` that the data support, the
        the largest whose topics come out again in other documents; "fast" takes the knee of the
        residual's curve. `suggestion_` tells the range and the reason.
    anchor_words : list, optional
        Words that topics begin with: a word, or a list of words, for each topic that begins with
        any; a word may belong to several. Unknown words and rare ones are warned about.
    anchor_strength : float, default=0.5
        How far these topics stay with their words: from 0 (only a start) to 1 (held).
    exclude : list of str, optional
        Words that are never anchors and never listed.
    anchor_min_df : int, float or None, default=None
        Words in fewer documents, or a smaller share of them, are no anchors, but for those of
        `anchor_words`; they stay in the data. By default the root of the number of documents, from
        200 on, for the rules "max", "dist", "agg" and "joint"; 1 for "greedy" and "rand".
    n_words : int, default=10
        Words to list for each topic.
    distinct : bool, default=False
        List only one of several forms of a word (film, films).
    stability : bool, default=False
        Look how stable each topic is, by topics of halves of the documents; takes some fits more.
        Not with `anchor_words`, of which halves know nothing.
    max_topics : int, default=40
        The most topics that "auto" and "fast" consider.
    text_column : str, optional
        The column of a table that has the texts; not needed if it has no other.
    preprocessor : callable, optional
        Makes a text of a text, before anything else is done with it.
    tokenizer : callable, optional
        Makes a list of words of a text, in small letters if `lowercase`. Words are then taken as
        they are: `keep`, `min_characters`, `stemming` and `ngram_range` are for texts.
    weighting : {"tfidf", "counts", "none"}, optional
        What the entries of the matrix are. By default tf-idf for texts and whole numbers, and
        other numbers as they are.
    keep : list of Keep, optional
        What is kept of texts that is no word, and dropped otherwise: "urls", "emails", "tags" (of
        HTML, and entities), "headers", "signatures" and "quotes" (of mails), "numbers"; "all"
        leaves texts exactly as they are.
    token_pattern : str, optional
        A regular expression for words, with one group at most; then it alone decides what is one.
    phrases : bool, default=False
        Take pairs of words that the texts have often as one term.
    stop_words : str, list of str or None, default="english"
        Words to drop: a list, or the function words of a language such as "german".
    drop : list of str, optional
        More words to drop.
    stemming : str, optional
        Reduce words to the stems of a language, such as "english".
    ngram_range : (int, int), default=(1, 1)
        Shortest and longest runs of words that make a term.
    min_df, max_df : int, float or None, default=None
        Drop words in fewer, or more, documents: a number, or a share between 0.0 and 1.0. By
        default at least 1 to 10 documents, depending on how many there are, and at most half.
    max_features : int, optional
        Keep only the most frequent words.
    min_characters : int, default=2
        Drop shorter words.
    lowercase : bool, default=True
        Fold case first.
    sublinear_tf : bool, default=True
        Weigh a word by 1 + ln(count) instead of its count.
    normalize_documents : bool, "l1" or "l2", default=True
        Scale documents to length 1 (True or "l2"), to sum 1 ("l1"), or not.
    selection : Selection, default="greedy"
        The rule that chooses the next anchor word; README.md says what each is for.
    refine_steps : int, optional
        Steps of refinement; by default until it settles, 100 at most, down to 5 for large data.
    refine_tol : float, optional
        End them when three together improve the fit by less than this part of it; 0 makes all. By
        default 1e-7, or 0 if `refine_steps` is given.
    refinement : {"auto", "hals", "exact", "kullback-leibler"}, default="hals"
        What each of these steps does; see `refine`.
    mean_ray, robust, outliers, normalize, tol, min_improvement, engine, solver, max_cache_bytes,
    random_state
        As in `XRay`.
    n_jobs : int or None, default=-1
        Threads, counted as in joblib; -1 uses all cores. No effect on the result.
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    topics_ : DataFrame, or list of dict without pandas
        A row for each topic: ``anchor``, ``words``, their ``weights``, a ``name`` of two or three
        of them, the ``share`` of documents in which it is heaviest, how clearly its anchor was
        chosen (``margin``, 0 for a tie) and the word that came next (``runner_up``), its coherence
        (``npmi``, ``umass``), where the anchor stands among its words (``anchor_place``, from 1; 0
        if it is none of them), and whether it is heavier in another topic or not among the first
        20 (``anchor_left``). Words come in the order of weight times the square root of
        exclusivity. What speaks for it, unknown after `load`: the number of ``documents`` in which
        it is heaviest, its part of all documents (``weight_share``), how far it has its words to
        itself (``exclusivity``, 0 to 1) and comes again in halves of the documents (``stability``,
        if asked for), ``related`` topics of similar words with their cosines, and
        ``best_documents`` (see the method of this name).
    components_ : ndarray of shape (n_topics_, n_words)
        H: the words' weights in each topic; each row has length 1.
    weights_ : ndarray of shape (n_documents, n_topics_)
        W: the topics' weights in each document.
    document_topics_ : ndarray of shape (n_documents,)
        The heaviest topic of each document; -1 for one without any known word.
    document_shares_ : ndarray of shape (n_documents, n_topics_)
        The topics' shares in each document: `weights_` with rows that sum to 1.
    explained_ : ndarray of shape (n_documents,)
        The part of each document's squared length that the topics explain. Not in the file.
    unexplained_ : ndarray of bool of shape (n_documents,)
        Whether a document is about something else than the topics: they explain less than a fifth
        of what they explain of the median one. Not in the file.
    document_clusters_ : ndarray of shape (n_documents,) or None
        The cluster of each document, one for each topic; -1 for one that shares no word with any.
        None after `load` of old files, or of shards.
    vocabulary_ : ndarray of str
        The word of each column of `components_`.
    anchors_ : ndarray of shape (n_topics_,)
        The column of each topic's (first) anchor word.
    n_topics_ : int
        Number of topics.
    path_ : ndarray of shape (n_topics_,)
        Relative residual after each anchor, before refinement.
    termination_, kkt_violation_ : str, float
        Why no more anchors were looked for, and the certificate of the projection onto them. Not
        in the file.
    objective_ : ndarray
        ``||X - W H||**2`` before and after each step of refinement. Not in the file.
    n_iter_, reconstruction_err_ : int, float
        Steps of refinement that were made, and ``||X - weights_ @ components_||``, where X are the
        weighted documents. Not in the file.
    suggestion_ : dict or None
        Why there are so many topics, if no number was given: ``rank``, the ``range`` nearly as
        good, what the data support (``supported``), and a ``sentence``. Not in the file.

    See Also
    --------
    XRay : The same algorithms for any matrix.

    Examples
    --------
    >>> from xray_nmf import TopicModel
    >>> texts = ["cats purr and sleep", "dogs bark and run", "a sleepy cats day", "dogs run"]
    >>> model = TopicModel(2, n_words=2).fit(texts)
    >>> sorted(topic for topic in model.topics_["anchor"])
    ['cats', 'dogs']
    >>> model.predict(["my cats", "your dogs"]).tolist() == model.document_topics_[:2].tolist()
    True
    """

    def __init__(
        self,
        n_topics: int | Literal["auto", "fast"] = "auto",
        *,
        anchor_words: Iterable[str | Iterable[str]] | None = None,
        anchor_strength: float = 0.5,
        exclude: Iterable[str] | None = None,
        anchor_min_df: int | float | None = None,
        n_words: int = 10,
        distinct: bool = False,
        stability: bool = False,
        max_topics: int = 40,
        text_column: Any = None,
        preprocessor: Preprocessor | None = None,
        tokenizer: Tokenizer | None = None,
        weighting: Weighting | None = None,
        keep: Iterable[Keep] | None = None,
        token_pattern: str | None = None,
        phrases: bool = False,
        stop_words: Any = "english",
        drop: Iterable[str] | None = None,
        stemming: str | None = None,
        ngram_range: tuple[int, int] = (1, 1),
        min_df: int | float | None = None,
        max_df: int | float | None = None,
        max_features: int | None = None,
        min_characters: int = 2,
        lowercase: bool = True,
        sublinear_tf: bool = True,
        normalize_documents: bool | Normalize = True,
        selection: Selection = "greedy",
        refine_steps: int | None = None,
        refine_tol: float | None = None,
        refinement: Refinement = "hals",
        mean_ray: bool = False,
        robust: bool = False,
        outliers: float = 0.0,
        normalize: Normalize | None = None,
        tol: float = 1e-6,
        min_improvement: float = 0.0,
        engine: Engine = "lazy",
        solver: Solver = "active-set",
        max_cache_bytes: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        verbose: bool = False,
    ) -> None:
        self.n_topics = n_topics
        self.anchor_words = anchor_words
        self.anchor_strength = anchor_strength
        self.exclude = exclude
        self.anchor_min_df = anchor_min_df
        self.n_words = n_words
        self.distinct = distinct
        self.stability = stability
        self.max_topics = max_topics
        self.text_column = text_column
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.weighting = weighting
        self.keep = keep
        self.token_pattern = token_pattern
        self.phrases = phrases
        self.stop_words = stop_words
        self.drop = drop
        self.stemming = stemming
        self.ngram_range = ngram_range
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.min_characters = min_characters
        self.lowercase = lowercase
        self.sublinear_tf = sublinear_tf
        self.normalize_documents = normalize_documents
        self.selection = selection
        self.refine_steps = refine_steps
        self.refine_tol = refine_tol
        self.refinement = refinement
        self.mean_ray = mean_ray
        self.robust = robust
        self.outliers = outliers
        self.normalize = normalize
        self.tol = tol
        self.min_improvement = min_improvement
        self.engine = engine
        self.solver = solver
        self.max_cache_bytes = max_cache_bytes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, vocabulary: Iterable[str] | None = None) -> TopicModel:
        """Find the topics of documents.

        Parameters
        ----------
        X : iterable of str or of lists of str, table, or matrix of shape (n_documents, n_words)
            Texts, documents cut into words, a DataFrame or Arrow table with a column of texts, or
            counts (or weights) of words. Words that come in lists are taken as they are.
        y : ignored
        vocabulary : list of str, or dict of a scikit-learn vectorizer, optional
            The word of each column of a matrix; by default the columns of a DataFrame, or "0",
            "1" and so on.

        Returns
        -------
        TopicModel
            This estimator, fitted.
        """
        request, text = topics_request(self), text_request(self)
        machine = threads(self.n_jobs), memory_of(self)
        documents, names, n_columns = documents_of(self, X, vocabulary)
        with progress_if(self.verbose) as progress:
            asked = json.dumps(request), json.dumps(text)
            model, run = _xray_nmf.fit_topics(documents, *asked, *machine, progress)
        for words in run["warnings"]:
            warnings.warn(words, UserWarning, stacklevel=2)
        self._keep(model)
        self._names = names
        # For pages: what can be read again, not a copy of it.
        self._seen = X if hasattr(X, "__len__") else None
        self._topics = run["topics"]
        self._lengths = run["lengths"]
        self._coherence = run["coherence"]
        self._evidence = json.loads(run["evidence"])
        self._explained = run["explained"], run["least_explained"]
        self.document_topics_ = run["document_topics"]
        self.termination_ = run["termination"]
        self.kkt_violation_ = run["kkt_violation"]
        self.objective_ = run["objective"]
        self.n_iter_ = max(len(self.objective_) - 1, 0)
        self.reconstruction_err_ = math.sqrt(max(run["squared_error"], 0.0))
        said = run["suggestion"]
        self.suggestion_: dict[str, Any] | None = None if said is None else json.loads(said)
        if n_columns is not None:
            self.n_features_in_ = n_columns
        elif hasattr(self, "n_features_in_"):
            del self.n_features_in_
        self._warn_of_few(request["topics"])
        return self

    def _warn_of_few(self, wanted: int | None) -> None:
        if wanted is not None and self.n_topics_ < wanted:
            warnings.warn(
                f"found {self.n_topics_} topics: n_topics = {wanted} is more than there are",
                UserWarning,
                stacklevel=3,
            )

    def fit_transform(
        self, X: Any, y: Any = None, *, vocabulary: Iterable[str] | None = None
    ) -> Floats:
        """Find the topics of documents, and return how documents are made of them.

        Parameters
        ----------
        X, y, vocabulary
            As in `fit`.

        Returns
        -------
        ndarray of shape (n_documents, n_topics_)
            `weights_`: the same bits as ``fit(X).transform(X)``.
        """
        weights: Floats = self.fit(X, y, vocabulary=vocabulary).weights_.copy()
        return weights

    def transform(
        self, X: Any, *, vocabulary: Iterable[str] | None = None, shares: bool = False
    ) -> Floats:
        """Explain new documents by the topics.

        Parameters
        ----------
        X : documents
            Of the kind that `fit` was given.
        vocabulary : list of str, or dict of a scikit-learn vectorizer, optional
            The word of each column of a matrix. Columns may come in any order; unknown words are
            ignored. By default as in `fit`.
        shares : bool, default=False
            Return shares that sum to 1 for each document, or are 0 for one without known words.

        Returns
        -------
        ndarray of shape (n_documents, n_topics_)
            The nonnegative weights with the least ``||x - w @ components_||`` for each document x.
        """
        check_is_fitted(self)
        weights: Floats
        weights = self._model.weigh(self._documents(X, vocabulary), threads(self.n_jobs))
        return shares_of(weights) if shares else weights

    def predict(self, X: Any, *, vocabulary: Iterable[str] | None = None) -> Indices:
        """The heaviest topic of each new document.

        Parameters
        ----------
        X, vocabulary
            As in `transform`.

        Returns
        -------
        ndarray of shape (n_documents,)
            Numbers of topics; -1 for a document without any known word.
        """
        check_is_fitted(self)
        n_threads = threads(self.n_jobs)
        weights = self._model.weigh(self._documents(X, vocabulary), n_threads)
        return self._model.heaviest(weights, n_threads)

    def predict_clusters(self, X: Any, *, vocabulary: Iterable[str] | None = None) -> Indices:
        """The cluster of each new document: for those of `fit`, `document_clusters_`.

        Parameters
        ----------
        X, vocabulary
            As in `transform`.

        Returns
        -------
        ndarray of shape (n_documents,)
            Numbers of clusters; -1 for none.
        """
        check_is_fitted(self)
        clusters = self._model.clusters(self._documents(X, vocabulary), threads(self.n_jobs))
        if clusters is None:
            raise ValueError("the model file has no clusters: fit the model again")
        return clusters

    @property
    def topics_(self) -> pd.DataFrame:
        """The topics with their words; a list of dicts where there is no pandas."""
        check_is_fitted(self)
        table: pd.DataFrame
        table = topic_table(self._topics, self.vocabulary_, self._coherence, self._evidence)
        return table

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
            "topic0", "topic1" and so on.
        """
        check_is_fitted(self)
        return np.array([f"topic{k}" for k in range(self.n_topics_)], dtype=object)

    @property
    def _n_features_out(self) -> int:
        return self.n_topics_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def _keep(self, model: Model) -> None:
        """Sets what the model file has."""
        self._model = model
        self.components_ = model.components
        self.n_topics_ = len(self.components_)
        weights = model.weights
        self.weights_ = np.empty((0, self.n_topics_)) if weights is None else weights
        self.anchors_ = model.anchors
        self.path_ = model.residuals
        self.document_clusters_ = model.document_clusters
        self.vocabulary_ = np.array(model.vocabulary or [], dtype=object)

    def _documents(self, X: Any, vocabulary: Iterable[str] | None) -> Documents:
        known = Known(self._names, self.vocabulary_.tolist())
        documents, names, n_columns = documents_of(self, X, vocabulary, known)
        if n_columns is not None and names is None:
            # Columns without names are called by their place, and so must the words be.
            named = next((word for word in self.vocabulary_ if not word.isdecimal()), None)
            if named is not None:
                raise ValueError(
                    f"X is a matrix, and the model knows words such as {named!r}: give "
                    "vocabulary=, the word of each column"
                )
            expected = getattr(self, "n_features_in_", n_columns)
            if n_columns != expected:
                raise ValueError(
                    f"X has {n_columns} features, but TopicModel is expecting {expected} features "
                    "as input"
                )
        return documents
