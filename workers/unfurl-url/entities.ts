/** Turns HTML's character references into characters. */

/** The characters from U+00A0 to U+00FF, in order. These may be written without their semicolon. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** Those outside it that people write: each name, and its character. */
const OTHERS =
  "apos ' OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ Zcaron Ž zcaron ž Ccaron Č ccaron č Ecaron Ě ecaron ě Rcaron Ř rcaron ř Dcaron Ď dcaron ď Tcaron Ť tcaron ť Ncaron Ň ncaron ň Uring Ů uring ů Lstrok Ł lstrok ł Aogon Ą aogon ą Eogon Ę eogon ę Cacute Ć cacute ć Nacute Ń nacute ń Sacute Ś sacute ś Zacute Ź zacute ź Zdot Ż zdot ż Abreve Ă abreve ă Gbreve Ğ gbreve ğ Idot İ imath ı Scedil Ş scedil ş Odblac Ő odblac ő Udblac Ű udblac ű fnof ƒ circ ˆ tilde ˜ Alpha Α Beta Β Gamma Γ Delta Δ Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π Rho Ρ Sigma Σ Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π rho ρ sigmaf ς sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω ndash – mdash — horbar ― lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro € image ℑ weierp ℘ real ℜ trade ™ numero № alefsym ℵ larr ← uarr ↑ rarr → darr ↓ harr ↔ crarr ↵ lArr ⇐ uArr ⇑ rArr ⇒ dArr ⇓ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ nabla ∇ isin ∈ notin ∉ ni ∋ prod ∏ sum ∑ minus − lowast ∗ radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ cap ∩ cup ∪ int ∫ there4 ∴ sim ∼ cong ≅ asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ sdot ⋅ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦ check ✓ star ☆ starf ★ phone ☎ excl ! num # dollar $ percnt % lpar ( rpar ) ast * plus + comma , period . sol / colon : semi ; equals = quest ? commat @ lsqb [ lbrack [ bsol \\ rsqb ] rbrack ] Hat ^ lowbar _ grave ` lcub { lbrace { verbar | vert | rcub } rbrace }";

/** Those that cannot be written plainly. */
const SPACES = {
  ensp: '\u2002',
  emsp: '\u2003',
  thinsp: '\u2009',
  hairsp: '\u200a',
  zwnj: '\u200c',
  zwj: '\u200d',
  lrm: '\u200e',
  rlm: '\u200f',
  Tab: '\t',
  NewLine: '\n',
};

/** Names that need no semicolon. */
const LEGACY = new Map([
  ...Object.entries({ amp: '&', AMP: '&', lt: '<', LT: '<', gt: '>', GT: '>', quot: '"', QUOT: '"' }),
  ...LATIN.split(' ').map((name, i): [string, string] => [name, String.fromCharCode(0xa0 + i)]),
  ['COPY', '©'],
  ['REG', '®'],
]);

const NAMED = new Map([...LEGACY, ...Object.entries(SPACES), ...pairs(OTHERS.split(' '))]);

function pairs(words: string[]): Array<[string, string]> {
  return words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1] ?? ''] as [string, string]] : []));
}

/** The rewriter gives text as it is written; people want it as it is read. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d+);?|#x([0-9a-f]+);?|([a-z][a-z0-9]*)(;|(?![a-z0-9=])))/gi,
    (whole, decimal, hex, name, end) => {
      if (name) return (end === ';' ? NAMED : LEGACY).get(name) ?? whole;
      return fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16));
    },
  );
}

/** As browsers do: what is no character is shown as such, and the range of controls is read as Windows had it. */
function fromCodePoint(point: number): string {
  if (point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return '\ufffd';
  if (point >= 0x80 && point <= 0x9f) return new TextDecoder('windows-1252').decode(new Uint8Array([point]));
  return String.fromCodePoint(point);
}
