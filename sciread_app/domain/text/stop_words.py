"""English stop words."""

from __future__ import annotations

# Not searched for if the query has other words.
_STOP_WORDS = """
    a about above after again against all also am among an and any are as at be because been
    before being between both but by can cannot could did do does doing down during each either
    etc few for from further had has have having he her here hers him his how however i if in into
    is it its itself just may me might more most must my no nor not of off on once only or other
    our ours out over own per same shall she should so some such than that the their theirs them
    then there therefore these they this those through thus to too under until up upon us very via
    was we were what when where whether which while who whom whose why will with within without
    would yet you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

# Never given as a reason why two papers are similar: besides those, function words and words of
# everyday use (Salton's list for SMART), words that any paper uses of itself, and general words of
# every field.
_EMPTY_WORDS = """
    able according accordingly across actually afterwards ago allow allows almost alone along
    already although always amongst amount another anybody anyhow anyone anything anyway anyways
    anywhere apart appear appears appreciate appropriate around aside ask asked asking associated
    available away awfully became become becomes becoming beforehand begin begins behind believe
    below beside besides best better beyond bottom brief briefly came cause causes certain
    certainly change changes clearly come comes concerning consequently consider considered
    considering contain containing contains corresponding course currently definitely describe
    described describes despite different done downwards due easily eight else elsewhere empty
    end enough entirely especially even ever every everybody everyone everything everywhere
    exactly example except fact far fifth fill find finds first five followed following follows
    former formerly forth found four full furthermore gave generally get gets getting give given
    gives giving goes going gone good got gotten great hardly hello help hence hereafter hereby
    herein hereupon hopefully hundred ignored immediate immediately inasmuch including indeed
    indicate indicated indicates inner insofar instead inward keep keeps kept knew know known
    knows large largely last lately later latter latterly least less lest let lets like liked
    likely likewise little long longer look looked looking looks made mainly make makes making
    many maybe mean means meanwhile merely mill mine moreover mostly move much myself name namely
    near nearly necessary need needed needs neither never nevertheless new next nine nobody none
    noone normally nothing nowhere obtain obtained obviously often okay old one ones onto
    others otherwise ought ourselves outside overall owing part particular particularly past
    perhaps place placed please plus possible possibly predominantly presumably previously
    primarily probably promptly provide provided provides put quickly quite rather readily really
    reasonably recent recently regarding regardless regards related relatively respectively right
    run said saw say saying says second secondly see seeing seem seemed seeming seems seen self
    selves sensible sent serious seriously seven several show showed showing shown shows side
    significantly similar similarly since six small somebody somehow someone something sometime
    sometimes somewhat somewhere soon sorry specifically specified specify specifying still
    strongly sub sufficiently sure take taken takes taking tell tend ten tends thank thanks thats
    thence thereafter thereby therein thereupon third thirty thorough thoroughly though three
    throughout thru together took toward towards tried tries truly try trying twelve twenty twice
    two unfortunately unless unlikely unto use used useful user uses using usually value various
    vary want wanted wants way ways well went whatever whence whenever whereafter whereas whereby
    wherein whereupon wherever whither whoever whole widely willing wish wonder word words work
    works yes yourself yourselves zero
    abstract aim aims allowing analyse analyzed analyze analyzed apply applied approach approaches
    article based basis case cases compare compared conclude conclusion conclusions current
    demonstrate demonstrated demonstrates determine determined develop developed discuss discussed
    discusses effective effectively effects examine examined existing explore explored finding
    findings focus general high higher highly important improve improved increase increased
    introduce introduced introduces introduction investigate investigated investigates issue
    issues kind level literature low lower main major method methods novel number observed
    paper papers perform performed possible presence present presented presents previous problem
    problems propose proposed proposes purpose range report reported require required requires
    result resulting results review set sets significant simple single solution specific standard
    studied studies study suggest suggested suggests term terms time times total type types
    understand understanding view
    ability accept accepted achieve achieved achieves achieving act action actions acts actual add
    added adding addition additional additionally adds advance advanced advances advantage
    advantages affect affected affects aimed allowed alter alternative amounts arbitrary area areas
    argue argued argues arise arises arising arrive aspect aspects assume assumed assumes attempt
    attempts avoid aware bad bear began big bring brings broad brought built busy buy call called
    calling calls capable carried carry century challenge challenges challenging chance choose
    choosing chosen claim claims clear close closed closely collected combine combined combining
    common commonly complete completed completely comprehensive concept concepts concern concerns
    condition conditions conduct conducted consequence consequences considerable considerably
    consist consistent consistently consists continue continued continues contribute contributes
    contribution contributions correct create created creates creating crucial date day days deal
    deals decade decades decide depend depended dependent depending depends derive derived designed
    desired detail detailed details developing development develops differ difference differences
    differently differs difficult difficulties difficulty direct directly discover discovered
    distinct distinguish draw drawn driven earlier early easier easy efficient efficiently effort
    efforts emerge emerged emerges emerging employ employed employing employs enable enabled enables
    enabling encounter ends enhance enhanced ensure ensures ensuring entire equally era essential
    essentially establish established evaluate evaluated everyday evident examples excellent exhibit
    exhibits exist exists expect expected explain explained explains explanation extend extended
    extends extensive extensively extent extra extremely faced factor factors facts fail failed
    fails fair fairly falls familiar famous faster favor feel felt final finally fine fits formed
    forming forms forward framework frequent frequently fully fundamental gain gained gains goal
    goals greater greatest greatly grow growing grown happen happened happens hard harder hardest
    hear held highest highlight highlights hold holding holds hope hour hours huge idea ideal ideas
    identified identifies identify identifying impact impacts implement implemented implies imply
    importance improvement improvements improves improving include included includes increases
    increasing increasingly initial insight insights instance instances intended interest interested
    interesting involve involved involves involving join keeping key kinds lack lacking lacks laid
    late lay leading leads leave leaves leaving led left lies limit limitation limitations limited
    limits list live lives locate longest lose lost lot lots manner matter matters meaning meant
    meet meets met minor minute modern month months motivated moved moves moving multiple
    necessarily needing newly nice note noted notes notion numerous objective objectives observe
    observes occur occurred occurring occurs offer offered offering offers operate opportunities
    opportunity opposed order ordinary original originally outcome outcomes outperform outperforms
    overcome overview page pages parts pass passed people performing performs permit permits person
    personal persons phenomenon pick piece pieces point pointed points poor popular portion posed
    potential potentially powerful practical practice practices precise precisely prefer prepared
    pretty prior produce produced produces producing progress project promise promising proper
    properly prove proved proven proves providing pursue quick raise raised raises raising ran
    ranges rapid rapidly rarely reach reached reaches reaching read ready real reasons receive
    received recognize recognized reduced reduces reducing refer referred refers regard relate
    relevant relies rely remain remained remaining remains remarkable remarkably remove removed
    replace reports represent represented represents research researcher researchers respect
    respective rest reveal revealed reveals rich role roles room running runs save scenario
    scenarios science scientific scientist scientists scope seek seeks select selected serve served
    serves shares short shorter simpler simplest simplify simply situation situations sizes slight
    slightly slow smaller smallest solve solved solves solving sort sorts sought special specifics
    spend spent spite stage stages stand standing stands start started starting starts stated
    statement stay step steps stood straightforward strong stronger strongest studying subject
    subsequent subsequently substantial substantially success successful successfully sufficient
    suit suitable suited summary support supported supporting supports surprising surprisingly talk
    technique techniques tested tests thing things think thinking thought title today told tool
    tools top totally traditional true turn turned turning turns typical typically ultimate
    ultimately underlying understood unique unknown unusual usage utilize utilized utilizing
    valuable values variety viable viewed vital watch week weeks wider widespread wise wished worse
    worst worth write written wrong year years yield yielded yields
"""
EMPTY_WORDS = STOP_WORDS | frozenset(_EMPTY_WORDS.split())
