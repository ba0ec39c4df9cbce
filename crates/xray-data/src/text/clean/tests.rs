//! What goes, and above all what stays.

use std::borrow::Cow;

use super::*;

/// What is left, with single spaces.
fn left(text: &str) -> String {
    left_with(text, &[])
}

fn left_with(text: &str, keep: &[Keep]) -> String {
    cleaned(text, keep).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(pairs: &[(&str, &str)]) {
    for (text, expected) in pairs {
        assert_eq!(left(text), *expected, "{text:?}");
    }
}

#[track_caller]
fn check_stays(texts: &[&str]) {
    for text in texts {
        assert!(matches!(cleaned(text, &[]), Cow::Borrowed(same) if same == *text), "{text:?}");
    }
}

#[test]
fn links_go() {
    check(&[
        ("see https://a.org/b?c=d&e=f#g now", "see now"),
        ("http://a.org", ""),
        ("HTTPS://A.ORG/x and ftp://b.org/pub/file.tar.gz, too", "and too"),
        ("www.a.org/b is WWW.B.ORG", "is"),
        ("RT pic.twitter.com/x1Y2z and t.co/abc and bit.ly/2x", "RT and and"),
        ("(http://a.org/b) (see a.co.uk/c) end", "( ) (see ) end"),
        ("[text](http://a.org/b_(c)_d)more", "[text]( )more"),
        ("<http://a.org/b> \"http://a.org\"word", "< > \" \"word"),
        ("glued.http://a.org/b wordhttp://a.org/b", "glued. word"),
        ("git+ssh://a.org/b irc://c.org", "git+"),
        ("http://a.org/käse/ß word", "word"),
        ("http://a.org/b日本語 日本", "日本語 日本"),
        ("http://a.org/b… “http://a.org/b” end", "… “ ” end"),
        ("http://a.org/?a=1&amp;b=2 http://a.org&gt;word", "word"),
        ("http:// alone", "alone"),
        ("é://a http://é", "é://a"),
    ]);
}

#[test]
fn words_with_slashes_and_dots_are_no_links() {
    check_stays(&[
        "http alone, https too, and ftp",
        "and/or either/or 1/2 3.5/10 and w/o",
        "main.py/x node.js/y e.g./i.e. U.S./Canada p.m./a.m. www and www. and www.",
        "/usr/lib/x.so ../a.com ./b c:\\d ://",
        "amazon.com and washingtonpost.com are names",
        "com/x .com/x",
    ]);
}

#[test]
fn addresses_go() {
    check(&[
        ("from a.person+tag@b-c.example.org, said", "from , said"),
        ("<a@b.edu> mailto:a@b.edu end.", "< > end."),
        ("a@b.org.", "."),
        ("(C5sA2s.n4B@murdoch.acc.Virginia.EDU)", "( )"),
        ("ça@b.org", "ç"),
    ]);
    check_stays(&[
        "@person said",
        "a @ b",
        "5 apples @ 1.50",
        "a@b",
        "a@b.c",
        "@@",
        "a@",
        "a@.com",
        "x@1.23",
    ]);
}

#[test]
fn tags_go() {
    check(&[
        ("a<br>b<BR/>c<br />d", "a b c d"),
        ("<p class=x>one</p><p>two</P >", "one two"),
        ("<a href=\"http://a.org/b\" title='x > y'>words</a>", "words"),
        ("<a href='open>words</a>", "words"),
        ("<input disabled checked>on", "on"),
        ("<!-- not <b>this</b> -->yes<!DOCTYPE html><?xml version=\"1.0\"?>", "yes"),
        ("<script>var x = \"<b>\" && y;</script>seen<STYLE>p {}</STYLE>", "seen"),
        ("<script>never closed", "never closed"),
        ("<para>text</para> <SRD> <ns:x a=\"1\">in</ns:x>", "text <SRD> in"),
        ("<unknown/>x<![CDATA[raw]]>", "x raw]]>"),
        ("<a\nhref=\"x\"\n>two\nlines</a\n>", "two lines"),
        ("größe<b>ü</b>", "größe ü"),
    ]);
}

#[test]
fn what_looks_like_a_tag_stays() {
    check_stays(&[
        "a<b and c>d",
        "a < b > c, x<y",
        "I <3 you, <- and <= and <>",
        "STANDARD OIL <SRD> and <BP>, usage: cp <from> <to>",
        "<!-- never closed",
        "<b and then nothing",
        "<",
        "</",
        "</ b>",
        "<!",
        "<?",
        "c++ and #tag and >>",
    ]);
}

#[test]
fn entities_are_characters() {
    check(&[
        ("salt &amp; pepper &lt;3 don&#39;t &#x201c;quote&#8221;", "salt pepper 3 don t quote"),
        ("caf&eacute; &Uuml;ber stra&szlig;e &#233;t&#xE9;", "café Über straße été"),
        ("AT&amp;T &nbsp; &amp;amp; &amp;quot;x&amp;#39;", "AT T x"),
        ("cut &amp", "cut"),
        ("&quot one &amp two", "one two"),
        ("&lt;br&gt;x&lt;/b&gt; &lt;a href=\"y\"&gt;z &lt;IBM&gt;", "x z IBM"),
        ("&#0; &#99999999; &#xD800;", ""),
    ]);
    check_stays(&[
        "AT&T",
        "R&D; Q&A",
        "a&b;c",
        "&",
        "&;",
        "&#",
        "&#;",
        "&#x;",
        "&ampere",
        "a=1&lt=2",
        "rock &roll;",
    ]);
}

#[test]
fn headers_go_and_the_subject_stays() {
    let mail = "From: a@b.org (A. Person)\nSubject: Re: Fast cars\nOrganization: University of\n\tNowhere\n\
                X-Mailer: thing\nStrange-Name: x\nLines: 12\nNNTP-Posting-Host: c.d.org\n\nBody: of words\n";
    assert_eq!(left(mail), "Re: Fast cars Body: of words");
    assert_eq!(left(&mail.replace('\n', "\r\n")), "Re: Fast cars Body: of words");
    assert_eq!(left(&format!("\n\nFrom a@b Mon Apr 5\n{mail}")), "Re: Fast cars Body: of words");
    check(&[
        ("Subject: Cars\n  and more\n\nBody", "Cars and more Body"),
        ("From: me\nTo: you\nNote: stays\nBody", "Note: stays Body"),
        ("From: me\nSubject: x\n", "x"),
        ("From: me\nSubject: x\n\nArchive-name: y\nLast-modified: today\n\nBody", "x Body"),
        ("Keywords: one, two\nSummary: three\nDate: 5 Apr\n\nBody", "one, two three Body"),
        ("Title: One\nDate: today\n\nBody", "Title: One Body"),
        ("date: 1\nFROM: x\nlast words", "last words"),
    ]);
}

#[test]
fn texts_that_begin_like_headers_stay() {
    check_stays(&[
        "From: here to there",
        "Note: this\nWarning: that\n\nBody",
        "From: here to there\nis a long way",
        "Subject: only\n",
        "Title: One\nAuthor: Two\n\nBody",
        "Words first\nFrom: a\nTo: b\n\nmore",
        "to:you\nfrom:me\n",
        "\n\n\n",
    ]);
}

#[test]
fn signatures_go() {
    check(&[
        ("words\n-- \nA. Person\nInstitute", "words"),
        ("words\r\n-- \r\nA. Person", "words"),
        ("words\n--\nA. Person\n", "words"),
    ]);
    let page = "line\n".repeat(21);
    check_stays(&[
        "-- \nwords",
        "words -- more",
        "words\n---\nmore",
        "one\n -- \ntwo",
        "words -- \n",
    ]);
    assert_eq!(cleaned(&format!("words\n--\n{page}"), &[]).lines().count(), 23);
    assert_eq!(left(&format!("words\n-- \n{page}")), "words");
}

#[test]
fn quotes_lose_initials_and_the_line_above() {
    check(&[
        (
            "In article <1@a.org>, b@c.org (B) writes:\n> quoted\n>> twice\nown",
            "> quoted >> twice own",
        ),
        ("In article <1@a.org>,\nB. Person <b@c.org> writes:\n|> quoted", "|> quoted"),
        ("On Mon, 5 Apr 1993, B. Person wrote:\n  AP> quoted\n", "quoted"),
        ("> A. Person writes:\n> > x", "> > x"),
        ("A. Person wrote:\nx > y", "x > y"),
    ]);
    check_stays(&[
        "Krugman writes:",
        "As everybody knows who has read his books, the poet writes:\nwords",
        "AB>CD\nx",
        "a > b\nc > d",
        "one\ntwo",
    ]);
}

#[test]
fn numbers_are_digits_alone() {
    for number in ["10", "30", "1992", "007", "1_000", "٣٤", "½", "²³"] {
        assert!(is_number(number), "{number}");
    }
    for word in ["2nd", "mp3", "b2b", "1990s", "x9", "1e5", "__", "一二", "3d", ""] {
        assert!(!is_number(word), "{word}");
    }
}

#[test]
fn each_kind_can_be_kept() {
    let text = "From: me\nSubject: it\n\nB. P. writes:\n> http://a.org a@b.org <b>x</b> &amp; 12\n-- \nend";
    assert_eq!(left(text), "it > x 12");
    for (keep, expected) in [
        (Keep::Urls, "it > http://a.org x 12"),
        (Keep::Emails, "it > a@b.org x 12"),
        (Keep::Tags, "it > <b>x</b> &amp; 12"),
        (Keep::Headers, "From: me Subject: it > x 12"),
        (Keep::Signatures, "it > x 12 -- end"),
        (Keep::Quotes, "it B. P. writes: > x 12"),
        (Keep::Numbers, "it > x 12"),
    ] {
        assert_eq!(left_with(text, &[keep]), expected, "{keep}");
    }
    assert_eq!(cleaned(text, &[Keep::All]), text);
    assert_eq!(cleaned(text, &Keep::ALL[..6]), text);
}

#[test]
fn what_is_dropped_is_counted() {
    let mut cleaner = Cleaner::new(Drops::but(&[]));
    let mail = "From: me\nDate: now\nSubject: it\n\nB. P. writes:\n> http://a.org a@b.org <b>x</b> &amp;\n-- \nend";
    cleaner.clean(mail);
    cleaner.clean("t.co/x and c@d.org");
    let Dropped { urls, emails, tags, headers, quotes, signatures, .. } = cleaner.dropped;
    assert_eq!((urls, emails, tags, headers, quotes, signatures), (2, 2, 3, 2, 1, 1));
    let counts = std::array::from_fn(|k| k as u64);
    assert_eq!(Dropped::from_counts(counts).counts(), counts);
    assert_eq!(Dropped::from_counts(counts).plus(Dropped::from_counts(counts)).signatures, 20);
}

/// Every text of a few characters from which all that is looked for is made: no slice is out of place, and what is
/// cleaned has nothing but what was there, spaces, and letters of entities.
#[test]
fn any_text_can_be_cleaned() {
    let signs = [
        "<", ">", "&", "/", ".", "@", ":", ";", "#", "x", "é", "\n", "-", " ", "=", "\"", "www",
        "amp", "From:",
    ];
    let n = signs.len();
    for k in 0..n.pow(4) {
        let text: String =
            [k, k / n, k / n / n, k / n / n / n].map(|part| signs[part % n]).concat();
        let clean = cleaned(&text, &[]);
        assert!(clean.len() <= text.len(), "{text:?}");
        assert_eq!(cleaned(&text, &[Keep::All]), text);
    }
}

/// Each of these would take minutes if it were looked at from every sign anew.
#[test]
fn time_is_linear() {
    let parts = [
        "<a ",
        "<!--",
        "<script>",
        "&",
        "&lt;",
        "&lt;a ",
        "@a",
        "a@",
        "a.",
        "a/",
        "http:/",
        "www.",
        "(",
        "> ",
        "AB>",
        "--\n",
        "From: a\n",
        "<x>",
        "</x",
        "&amp;",
        "amp;",
        "<a b=\"",
        "<a b='<",
    ];
    for part in parts {
        let text = part.repeat((1 << 21) / part.len());
        let clean = cleaned(&text, &[]);
        assert!(clean.len() <= text.len());
    }
}
