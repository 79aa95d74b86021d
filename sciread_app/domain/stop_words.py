"""English words that say nothing about what a text is about."""

from __future__ import annotations

# Not looked up where there are others.
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

# Never given as a reason why two papers are alike: besides those, function words and words of
# everyday use (Salton's list for SMART), and what any paper says of itself.
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
    abstract aim aims allowing analyse analysed analyze analyzed apply applied approach approaches
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
"""
EMPTY_WORDS = STOP_WORDS | frozenset(_EMPTY_WORDS.split())
