//! Function words of other languages than English, in lower case: articles, pronouns, prepositions, conjunctions,
//! auxiliaries and the commonest adverbs.

use super::super::options::Language;

/// The function words of a language, with white space between them; English ones have a list of their own.
#[rustfmt::skip] // One word a line would be a thousand lines.
pub(super) fn words_of(language: Language) -> &'static str {
    match language {
        Language::English => "",
        Language::Arabic => "
            من في على إلى الى عن مع هذا هذه ذلك تلك هؤلاء التي الذي الذين اللذان اللتان اللواتي هو هي هم هن نحن أنا
            انا أنت انت أنتم كان كانت كانوا يكون تكون سيكون ليس ليست لم لن لا ما ماذا متى أين كيف لماذا هل أن ان إن
            إذا اذا إذ لو لكن ولكن أو او ثم حتى قد وقد لقد كما كل بعض أي اي غير بين بعد قبل عند عندما منذ خلال حول دون
            أكثر أيضا ايضا فقط هنا هناك حيث به بها له لها لهم فيه فيها منه منها عليه عليها إليه وهو وهي وكان وكانت وفي
            ومن وعلى مثل أمام تحت فوق نحو كانا بل سوف لدى لدي ضد أحد نفس ذات",
        Language::Danish => "
            og i jeg det at en et den til er som på de med han af for ikke der var mig sig men har om vi min havde ham
            hun nu over da fra du ud sin dem os op man hans hvor eller hvad skal selv her alle vil blev kunne ind når
            være dog noget ville jo deres efter ned skulle denne end dette mit også under have dig anden hende mine
            alt meget sit sine vor mod disse hvis din nogle hos blive mange ad bliver hendes været thi jer sådan kan
            ved før så få uden mellem både kun hver andre andet nogen ingen fordi mens hvordan hvorfor siden igen må
            måtte bare",
        Language::Dutch => "
            de en van ik te dat die in een hij het niet zijn is was op aan met als voor had er maar om hem dan zou of
            wat mijn men dit zo door over ze zich bij ook tot je mij uit der daar haar naar heb hoe heeft hebben deze
            u want nog zal me zij nu ge geen omdat iets worden toch al waren veel meer doen toen moet ben zonder kan
            hun dus alles onder ja eens hier wie werd altijd doch wordt wezen kunnen ons zelf tegen na reeds wil kon
            niets uw iemand geweest andere we wij jij jullie onze welke zoals tussen tijdens sinds alleen elke elk
            sommige waar waarom wanneer zeer kunt zullen zouden moeten mogen weer terwijl",
        Language::Finnish => "
            ja on ei se että hän oli ovat olla olen olet olemme olette olisi olisivat ollut olleet olivat minä sinä me
            te he minun sinun hänen meidän teidän heidän minua sinua häntä minulla hänellä minulle hänelle tämä tuo
            nämä nuo ne sen tämän tätä tässä tästä tähän sitä siinä siitä siihen niiden niitä niin niistä niissä jotka
            joka jonka jota jossa josta johon joita joiden jos kun kuin kuka ketkä mikä mitä mitkä missä mistä mihin
            mutta tai sekä eli vaan koska vaikka myös vain jo vielä nyt sitten kanssa ilman ennen jälkeen mukaan yli
            ali läpi noin en et emme ette eivät eikä älä joku jokin jotain kaikki kaikkien kaikkia muu muut muiden
            hyvin siis kuitenkin voi voivat voidaan itse oma",
        Language::French => "
            le la les l un une des du de d au aux et ou où mais donc or ni car que qu qui quoi dont ce c cet cette ces
            ça cela ceci je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y en mon ma mes ton ta
            tes son sa ses notre nos votre vos moi toi soi eux ne n pas plus moins jamais rien aucun aucune non oui si
            à dans par pour sur sous avec sans entre vers chez depuis pendant avant après contre jusqu jusque lors
            lorsque lorsqu quand comme comment pourquoi combien parce puisque quel quelle quels quelles tout toute
            tous toutes même mêmes autre autres chaque quelque quelques plusieurs certains certaines tel telle très
            trop peu beaucoup assez aussi bien encore déjà alors ainsi puis ensuite ici là est sont était étaient être
            été étant sera seront serait suis es sommes êtes fut fait faire font ai as a avons avez ont avait avaient
            avoir eu ayant aura aurait peut peuvent pouvait doit doivent aujourd hui",
        Language::German => "
            der die das den dem des ein eine einen einem einer eines und oder aber denn sondern doch als wie wenn weil
            dass daß ob damit obwohl während bevor nachdem ich du er sie es wir ihr mich dich sich uns euch mir dir
            ihm ihnen ihn mein meine meinen meinem meiner dein deine sein seine seinen seinem seiner seines ihre ihren
            ihrem ihrer unser unsere unseren euer eure dieser diese dieses diesen diesem jener jene jenes welcher
            welche welches welchen jeder jede jedes jeden jedem alle alles allen aller man kein keine keinen keinem
            keiner nicht nichts auch nur noch schon sehr so mehr immer wieder nun jetzt dann da dort hier hin her wo
            was wer wen wem warum wann in im ins an am ans auf aus bei beim mit nach von vom vor zu zum zur über unter
            durch für gegen ohne um bis seit zwischen neben ist sind war waren bin bist seid gewesen wäre wären sei
            haben hat habe hast hatte hatten hätte hätten gehabt werden wird wurde wurden worden würde würden kann
            können konnte konnten könnte muss muß müssen musste soll sollen sollte will wollen wollte darf dürfen mag
            möchte etwas einige viele viel andere anderen anderer selbst etwa bereits dabei dazu davon daran darauf
            dafür also",
        Language::Greek => "
            ο η το οι τα του της των τον την τους τις στο στη στην στον στους στις στα και κι ή αλλά όμως ούτε μήτε
            γιατί επειδή αν εάν όταν όπως ώστε ότι που πως να θα δεν μη μην ως σε με για από κατά μετά πριν προς χωρίς
            μέχρι έως μέσα πάνω κάτω μεταξύ αντί παρά υπό επί εγώ εσύ αυτός αυτή αυτό αυτοί αυτές αυτά αυτού αυτής
            αυτών αυτόν αυτήν εμείς εσείς μου σου μας σας εκείνος εκείνη εκείνο ποιος ποια ποιο τι ποιοι όποιος
            κάποιος κάποια κάποιο κάθε όλα όλοι όλες όλο όλη άλλος άλλη άλλο άλλοι άλλα ένας μία μια ένα ενός μιας
            είναι ήταν είμαι είσαι είμαστε έχει έχουν έχω είχε είχαν πολύ πιο μόνο επίσης ακόμη ακόμα ήδη τώρα εδώ
            εκεί πού πώς όχι ναι τότε έτσι λοιπόν ενώ καθώς δηλαδή σαν μπορεί πρέπει",
        Language::Hungarian => "
            a az egy és is hogy nem de ha vagy mint csak már még meg el ki be le fel ez azt ezt ezek azok ezeket
            azokat ennek annak ebben abban ezzel azzal erre arra ami amely amelyek amelyet aki akik akit amit amikor
            ahol ahogy mert mivel tehát így úgy én te ő mi ti ők engem téged őt minket titeket őket nekem neked neki
            nekünk nekik van vannak volt voltak lesz lesznek lenne lett legyen vagyok vagyunk nincs sem se minden
            mindig más másik egyik néhány sok több nagyon itt ott most majd akkor aztán után előtt alatt között
            szerint miatt által felé nélkül való volna kell lehet tud ilyen olyan milyen mit miért hogyan hol mely
            saját maga magát illetve valamint pedig azonban ugyanis hiszen talán",
        Language::Italian => "
            il lo la i gli le l un uno una di a da in con su per tra fra del dello della dei degli delle dell al allo
            alla ai agli alle all dal dallo dalla dai dagli dalle dall nel nello nella nei negli nelle nell sul sullo
            sulla sui sugli sulle sull e ed o od ma anche né se perché poiché quando come dove che chi cui quale quali
            quanto quanta quanti quante cosa io tu lui lei noi voi loro mi ti si ci vi me te sé ne li mio mia miei mie
            tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra questo questa questi queste
            quello quella quelli quelle quel quei non più meno molto molti molta poco tutto tutta tutti tutte ogni
            altro altra altri altre stesso stessa solo sempre mai ancora già ora poi qui qua lì là così è sono sei
            siamo siete era erano ero essere stato stata stati fu sarà sarebbe ho hai ha abbiamo avete hanno aveva
            avevano avere avuto avrebbe può possono deve devono fare fatto senza sotto sopra dopo prima contro durante
            verso fino invece però quindi dunque mentre",
        Language::Norwegian => "
            og i jeg det at en et den til er som på de med han av ikke der så var meg seg men ett har om vi min mitt
            ha hadde hun nå over da ved fra du ut sin dem oss opp man kan hans hvor eller hva skal selv sjøl her alle
            vil bli ble blei blitt kunne inn når være kom noen noe ville dere deres kun ja etter ned skulle denne for
            deg si sine sitt mot å meget hvorfor dette disse uten hvordan ingen din ditt blir samme hvilken hvilke
            sånn inni mellom vår hver hvem vors hvis både bare enn fordi før mange også slik vært begge siden dersom
            ho dei ein eit ikkje eg me mykje noko nokon frå kva korleis hennar vere vore andre annet annen mer mens
            måtte må får få",
        Language::Portuguese => "
            o a os as um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas para pra
            com sem sob sobre entre até após desde contra ao aos à às e ou mas porém que se porque pois como quando
            onde enquanto embora também nem não sim mais menos muito muita muitos muitas pouco já ainda sempre nunca
            só apenas assim então logo depois antes agora hoje aqui ali lá eu tu ele ela nós vós eles elas você vocês
            me te lhe lhes vos meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas dele dela
            deles delas este esta estes estas isto esse essa esses essas isso aquele aquela aqueles aquelas aquilo
            qual quais quem cujo cuja todo toda todos todas cada outro outra outros outras mesmo mesma algum alguma
            alguns algumas nenhum nenhuma tão tal é são era eram ser sido foi foram será seria seja sou somos fui está
            estão estava estavam estar estou tem têm tinha tinham ter tenho teve há havia houve haver pode podem deve
            vai vão quanto",
        Language::Romanian => "
            și şi în la de pe cu din a al ai ale o un unei unui unor niște cel cea cei cele ce care cărui cărei căror
            că să nu mai dar iar sau ori ci deși dacă când cum unde cât câte pentru prin până fără între sub peste
            după înainte spre către lângă ca decât eu tu el ea noi voi ei ele mine tine sine meu mea mei mele tău ta
            tăi tale său sa săi sale lui lor nostru noastră noștri vostru îl îi le li mă te se ne vă își ii acest
            această acești aceste acesta aceasta aceștia acestea acel acea acei acele acela aceea tot toată toți toate
            alt altă alți alte fiecare orice nici foarte puțin mult multe mulți numai doar încă deja acum atunci aici
            acolo așa astfel este e sunt era erau fi fost fiind sunteți suntem ești sînt am ați au are avea aveau avut
            va vor ar aș poate pot trebuie însă deci",
        Language::Russian => "
            и в во не что он на я с со как а то все всё она так его но да ты к у же вы за бы по только ее её мне было
            вот от меня еще ещё нет о об из ему теперь когда даже ну вдруг ли если уже или ни быть был была были него
            до вас нибудь опять уж вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их
            чем сам чтоб чтобы без будто чего раз тоже себе под будет будут ж тогда кто этот эта это эти того потому
            этого какой совсем ним здесь этом один почти мой моя мои тем нее неё сейчас куда зачем всех никогда можно
            при наконец два другой хоть после над больше тот через нас про всего них какая много разве три эту впрочем
            хорошо свою своей своего свои этой перед иногда лучше чуть том нельзя такой такая такие им более всегда
            конечно всю между также который которая которое которые которого которых которой которым является",
        Language::Spanish => "
            el la los las lo un una unos unas de del a al en y e o u que qué se no ni si sí con sin por para como cómo
            más menos pero sino porque pues aunque cuando cuándo donde dónde mientras entre sobre bajo desde hasta
            hacia contra según durante tras ante yo tú él ella nosotros nosotras vosotros ellos ellas usted ustedes me
            te le les nos os mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro mío mía suyo suya este
            esta estos estas esto ese esa esos esas eso aquel aquella aquellos aquello quien quién quienes cual cuál
            cuales cuyo cuya todo toda todos todas otro otra otros otras mismo misma mismos algún alguno alguna
            algunos algunas ningún nada nadie nunca cada cualquier tan tanto muy mucho mucha muchos muchas poco ya aún
            todavía también tampoco siempre solo sólo así ahora luego después antes entonces aquí allí ahí es son era
            eran ser sido fue fueron será sería sea soy somos eres siendo está están estaba estaban estar estoy ha han
            he había habían haber hay hemos hubo tiene tienen tenía tener puede pueden debe hace hacer",
        Language::Swedish => "
            och det att i en jag hon som han på den med var sig för så till är men ett om hade de av icke mig du henne
            då sin nu har inte hans honom skulle hennes där min man ej vid kunde något från ut när efter upp vi dem
            vara vad över än dig kan sina här ha mot alla under någon eller allt mycket sedan ju denna själv detta åt
            utan varit hur ingen mitt ni bli blev oss din dessa några deras blir mina samma vilken er sådan vår blivit
            dess inom mellan sådant varför varje vilka ditt vem vilket sitt sådana vart dina vars vårt våra ert era
            vilkas också bara eftersom medan innan många andra annat ska skall måste få får in ner genom hos både även
            mer kommer",
        Language::Tamil => "
            ஒரு என்று மற்றும் இந்த இது என்ற கொண்டு என்பது பல ஆகும் அல்லது அவர் நான் உள்ள அந்த இவர் என முதல் என்ன
            இருந்து சில என் போன்ற வேண்டும் வந்து இதன் அது அவன் தான் பலரும் என்னும் மேலும் பின்னர் கொண்ட இருக்கும் தனது
            உள்ளது போது என்றும் அதன் தன் பிறகு அவர்கள் வரை அவள் நீ ஆகிய இருந்தது உள்ளன வந்த இருந்த மிகவும் இங்கு மீது
            ஓர் இவை இந்தக் பற்றி வரும் வேறு இரு இதில் போல் இப்போது அவரது மட்டும் இந்தப் எனும் மேல் பின் சேர்ந்த
            ஆகியோர் எனக்கு இன்னும் அந்தப் அன்று ஒரே மிக அங்கு பல்வேறு விட்டு பெரும் அதை பற்றிய உன் அதிக அந்தக் பேர்
            இதனால் அவை அதே ஏன் முறை யார் என்பதை எல்லாம் மட்டுமே இங்கே அங்கே இடம் இடத்தில் அதில் நாம் அதற்கு எனவே பிற
            சிறு மற்ற விட எந்த எனவும் எனப்படும் எனினும் அடுத்த இதனை இதை கொள்ள இந்தத் இதற்கு அதனால் தவிர போல வரையில்
            சற்று எனக்",
        Language::Turkish => "
            ve bir bu da de için ile çok ama daha gibi kadar en ne o ya mi mı mu mü ki değil var yok olan olarak oldu
            olduğu olması olur olup olsa olmuş her hem ancak fakat veya ise diye sonra önce şu ben sen biz siz onlar
            bana sana ona bize size onlara beni seni onu bizi sizi onları benim senin onun bizim sizin onların kendi
            kendine kim neden niçin nasıl nerede hangi hiç bütün tüm bazı birkaç birçok şey şeyi böyle şöyle öyle
            burada orada şimdi artık zaten bile sadece yalnız yine üzere göre karşı rağmen dolayı beri arasında çünkü
            eğer belki hep hala hâlâ az biri birisi diğer başka aynı ayrıca bunun buna bunu bundan şunu ondan içinde
            üzerinde tarafından ederek etti eden eder edilen oluyor idi iken madem meğer",
    }
}
