import { expect, test } from 'bun:test';
import { decodeHTMLAttribute } from 'entities/decode';

/** The rules that `unfurl-url` needs are those of attributes, where `&amp=1` in a URL stays as it is. */

test.each([
  ['Tom &amp; Jerry', 'Tom & Jerry'],
  ['&lt;b&gt; &quot;x&quot; &apos;y&apos;', '<b> "x" \'y\''],
  ['caf&eacute; CAF&Eacute;', 'café CAFÉ'],
  ['&ldquo;a&rdquo; &ndash; &mdash; &hellip; &euro;5 &trade;', '“a” – — … €5 ™'],
  ['&#8217; &#x2019; &#X2019;', '’ ’ ’'],
  ['&#150; &#x80;', '– €'],
  ['&#0; &#xd800; &#x110000;', '\ufffd \ufffd \ufffd'],
  ['a&nbsp;b&shy;', 'a\u00a0b\u00ad'],
  ['AT&T &unknown; & &; &#; &#x;', 'AT&T &unknown; & &; &#; &#x;'],
  ['&copy 2026 &ampx &amp=1', '© 2026 &ampx &amp=1'],
  ['&amp;lt;', '&lt;'],
  ['&yuml;&nbsp;&Omega;&omega;', 'ÿ\u00a0Ωω'],
  ['&frac12;&sup2;&there4;', '½²∴'],
])('decodes %j to %j', (written, read) => {
  expect(decodeHTMLAttribute(written)).toBe(read);
});
