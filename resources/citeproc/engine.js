/* What SciRead asks citeproc.js for: loaded after it, in the same context.
 *
 * begin(json)            a style and its locales
 * take(json)             the items to cite from now on
 * add(count)             register the first `count` of the items
 * references()           the entries of the bibliography, as HTML
 * citation(pages)        the in-text citation of these pages of all items, as HTML
 *
 * Answers are JSON: the Python side cannot take strings that QuickJS keeps as ropes.
 *
 * The first part changes citeproc.js where it is slow or does not do what CSL 1.0.2 says. */
"use strict";

/* The stop words of CSL 1.0.2, and what stays lower case in names and court cases. The list of
 * citeproc.js also has long prepositions, which English styles capitalize. */
CSL.SKIP_WORDS = (
    "a an and as at but by down for from in into nor of on onto or over so the till to up via " +
    "with yet v v. vs vs. et de d' von van c ca"
).split(" ");

/* Macros are looked up by name, once. A style with 150 of them is read in half a second instead of
 * ten. */
(function () {
    const byName = CSL.XmlJSON.prototype.getNodesByName;
    CSL.XmlJSON.prototype.getNodesByName = function (node, name, key, found) {
        if (name !== "macro" || !key || found) {
            return byName.call(this, node, name, key, found);
        }
        this.macros = this.macros || new Map();
        if (!this.macros.has(key)) {
            this.macros.set(key, byName.call(this, node, name, key));
        }
        return this.macros.get(key);
    };
}());

/* In sort keys too, a macro is compiled once and called, instead of being copied to each place
 * that uses it. */
(function () {
    const expand = CSL.expandMacro;
    CSL.expandMacro = function (token, target) {
        if (!this.build.extension) {
            return expand.call(this, token, target);
        }
        const area = this.build.root + this.build.extension;
        const key = [area, token.postponed_macro, token.strings.sort_direction].join("|");
        this.sortMacros = this.sortMacros || new Map();
        if (!this.sortMacros.has(key)) {
            const outer = this[area].tokens;
            const tokens = this[area].tokens = [];
            expand.call(this, token, tokens);
            this[area].tokens = outer;
            this.configureTokenList(tokens);
            this.sortMacros.set(key, tokens);
        }
        const tokens = this.sortMacros.get(key);
        const call = new CSL.Token("text", CSL.SINGLETON);
        call.execs.push(function (state, Item, item) {
            let next = 0;
            while (next < tokens.length) {
                next = CSL.tokenExec.call(state, tokens[next], Item, item);
            }
        });
        target.push(call);
    };
}());

/* Most of the time goes into these three. They do what they do in citeproc.js, but without a closure
 * or an array for each call. */
CSL.tokenExec = function (token, Item, item) {
    let next = token.next;
    if (token.test) {
        const passed = token.test(Item, item);
        this.tmp.jump.replace(passed ? "succeed" : "fail");
        next = passed ? token.succeed : token.fail;
    }
    const execs = token.execs;
    for (let i = 0; i < execs.length; i += 1) {
        next = execs[i].call(token, this, Item, item) || next;
    }
    return next;
};

CSL.Stack.prototype.value = function () {
    return this.mystack[this.mystack.length - 1];
};

(function () {
    const prototype = CSL.Blob.prototype;
    CSL.Blob = function (text, token, level) {
        this.levelname = level;
        this.strings = { prefix: "", suffix: "" };
        this.decorations = [];
        if (token) {
            Object.assign(this.strings, token.strings);
            for (const decoration of token.decorations || []) {
                this.decorations.push(decoration.slice());
            }
        } else {
            this.strings.delimiter = "";
        }
        this.blobs = typeof text === "string" ? text : text ? [text] : [];
        this.alldecor = [this.decorations];
    };
    CSL.Blob.prototype = prototype;
}());

/* Sort keys are compared as the Unicode root collation would on its first level, which QuickJS does
 * not have: accents, case and punctuation are ignored, a space comes before any letter, and digits
 * are read as numbers. */
(function () {
    const letters = { "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d",
        "þ": "th", "ı": "i" };
    const parts = new Map();
    function split(text) {
        if (!parts.has(text)) {
            const folded = text.toLowerCase().normalize("NFD")
                .replace(/[ßæœøłđðþı]/g, (letter) => letters[letter])
                .replace(/[-\u2010-\u2015]/g, " ")
                .replace(/[^\p{L}\p{N}\s]/gu, "").trim();
            parts.set(text, folded.split(/(\d+)/));
        }
        return parts.get(text);
    }
    CSL.stringCompare = function (left, right) {
        const a = split(left), b = split(right);
        for (let i = 0; i < a.length && i < b.length; i += 1) {
            // Odd ones are numbers.
            const order = i % 2 ? Number(a[i]) - Number(b[i]) : Number(a[i] > b[i]) - Number(a[i] < b[i]);
            if (order) {
                return order;
            }
        }
        return a.length - b.length;
    };
}());

/* A list of names that ends with the literal name "others" was cut short by whoever entered it. It
 * counts as one name longer than it is, and ends with "et al.", as in pandoc. */
(function () {
    const constrain = CSL.NameOutput.prototype.constrainNames;
    CSL.NameOutput.prototype.constrainNames = function () {
        for (const variable of this.variables) {
            if (isCutShort(this, variable) && this.freeters[variable].length) {
                this.freeters_count[variable] += 1;
            }
        }
        constrain.call(this);
    };
    const setEtAl = CSL.NameOutput.prototype._setEtAlParameter;
    CSL.NameOutput.prototype._setEtAlParameter = function (type, variable, position) {
        setEtAl.call(this, type, variable, position);
        if (type === "persons" || !isCutShort(this, variable)) {
            return;
        }
        this.etal_spec[variable][type] = 1;
    };
    function isCutShort(output, variable) {
        return !output.state.tmp.sort_key_flag && output.Item.cutShort.includes(variable);
    }
}());

function withoutOthers(item) {
    item.cutShort = [];
    for (const variable of CSL.NAME_VARIABLES) {
        const names = item[variable];
        if (Array.isArray(names) && names.length > 1 && names.at(-1).literal === "others") {
            names.pop();
            item.cutShort.push(variable);
        }
    }
    return item;
}

/* Neither tags nor quotation marks of any language. */
const WITHOUT_QUOTES = /^[\p{L}\p{N} .:;()-]*$/u;

var engine, items, ids, changed;

function begin(json) {
    const given = JSON.parse(json);
    const system = {
        retrieveLocale: (language) => given.locales[language] || given.locales["en-US"],
        retrieveItem: (id) => items.get(id),
    };
    engine = new CSL.Engine(system, given.style, given.language);
    engine.opt.development_extensions.wrap_url_and_doi = false;
    // Making the regular expression that finds an apostrophe takes longer than all else with a text.
    const flipflopper = engine.fun.flipflopper, processTags = flipflopper.processTags;
    flipflopper.processTags = (blob) => {
        if (!WITHOUT_QUOTES.test(blob.blobs)) {
            processTags(blob);
        }
    };
}

function take(json) {
    engine.updateItems([]);
    const given = JSON.parse(json);
    items = new Map(given.map((item) => [item.id, withoutOthers(item)]));
    ids = given.map((item) => item.id);
    changed = {};
}

/* Letters and longer names, which tell works apart, depend on all items: they wait for the last. So
 * do new sort keys for items that others have changed, which would else be made at each step. */
function add(count) {
    const last = count >= ids.length;
    if (last) {
        delete engine.registry.setdisambigs;
        engine.tmp.taintedItemIDs = changed;
    } else {
        engine.registry.setdisambigs = function () {};
        engine.tmp.taintedItemIDs = {};
    }
    engine.updateItems(ids.slice(0, count));
    Object.assign(changed, engine.tmp.taintedItemIDs);
    engine.tmp.taintedItemIDs = {};
}

function references() {
    const written = engine.makeBibliography();
    return JSON.stringify(written ? written[1] : null);
}

function citation(pages) {
    const place = pages ? { locator: pages, label: "page" } : {};
    const cited = {
        citationItems: ids.map((id) => ({ id, ...place })), properties: { noteIndex: 1 },
    };
    const text = preview(cited);
    const sorted = cited.sortedItems.map((each) => each[1].id);
    const ordered = byLetter(sorted);
    if (ordered.every((id, place) => id === sorted[place])) {
        return JSON.stringify(text);
    }
    cited.citationItems = ordered.map((id) => ({ id, ...place }));
    cited.properties.unsorted = true;
    return JSON.stringify(preview(cited));
}

function preview(cited) {
    return engine.previewCitationCluster(cited, [], [], "html");
}

/* The ids in their order, but works that are told apart by a letter in the order of the letters:
 * 2019a, 2019b. */
function byLetter(sorted) {
    const alike = new Map();
    sorted.forEach((id, place) => {
        const known = engine.registry.registry[id];
        if (known.disambig.year_suffix !== false) {
            const places = alike.get(known.ambig) || [];
            alike.set(known.ambig, [...places, place]);
        }
    });
    const letter = (id) => Number(engine.registry.registry[id].disambig.year_suffix);
    const ordered = [...sorted];
    for (const places of alike.values()) {
        const group = places.map((place) => sorted[place]).sort((a, b) => letter(a) - letter(b));
        places.forEach((place, index) => { ordered[place] = group[index]; });
    }
    return ordered;
}
