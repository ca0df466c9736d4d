import { describe, expect, test } from 'bun:test';
import { parseEnvFile } from './env-file.ts';

const parse = (text: string) => parseEnvFile(text, '/etc/quire.env');

describe('an environment file', () => {
  test.each([
    ['KEY=value', 'value'],
    ['KEY=', ''],
    ['KEY', undefined],
    ['  KEY  =  value with  spaces \t', 'value with  spaces'],
    ['KEY=Quire <quire@example.com>', 'Quire <quire@example.com>'],
    ['KEY=a$HOME `id` $(id) ~ * & | ; # > <', 'a$HOME `id` $(id) ~ * & | ; # > <'],
    ['KEY=postgres://u:p%40#ss@h/db?x=1&y="2"', 'postgres://u:p%40#ss@h/db?x=1&y="2"'],
    ["KEY=it's", "it's"],
    ['KEY=a\\\\b\\$c\\n', 'a\\b$cn'],
    ['KEY=ends with a space\\ ', 'ends with a space '],
    ['KEY=a \\\n  b', 'a   b'],
    ['KEY=last\\', 'last'],
    ['KEY=\'a \\n $x "b" # ; \'  ', 'a \\n $x "b" # ; '],
    ["KEY='two\nlines'", 'two\nlines'],
    ['KEY="a \\" \\\\ \\` \\$ \\n \\x  "  ', 'a " \\ ` $ \\n \\x  '],
    ['KEY="one \\\nline"', 'one line'],
    ['KEY=""', ''],
    ['# KEY=no\n ; KEY=no\n\nKEY=yes\n', 'yes'],
    ['KEY=first\nKEY=last', 'last'],
    ['KEY=dos\r\nOTHER=x\r\n', 'dos'],
    ['# a comment \\\nKEY=after it', 'after it'],
    ['KEY=größer ✓', 'größer ✓'],
  ])('%j gives %j', (text, value) => {
    if (value === undefined)
      expect(() => parse(text)).toThrow('Line 1 of /etc/quire.env is not an assignment');
    else expect(parse(text).KEY).toBe(value);
  });

  // From systemd's own tests of this syntax: what comes out, and in which order.
  test('has the values that systemd reads', () => {
    expect(parse('a=a\nb=b\\\nc\nd= d\\\ne  \\\nf  \ng=g\\ \nh= ąęół\\ śćńźżμ \ni=i\\')).toEqual({
      ...{ a: 'a', b: 'bc', d: 'de  f', g: 'g ', h: 'ąęół śćńźżμ', i: 'i' },
    });
    expect(
      parse(
        "a=\\ \\n \\t \\x \\y \\' \nb= $'    \nc= ' \\n\\t\\$\\`\\\\\n'   \nd= \" \\n\\t\\$\\`\\\\\n\"   \n",
      ),
    ).toEqual({ a: " n t x y '", b: "$'", c: ' \\n\\t\\$\\`\\\\\n', d: ' \\n\\t$`\\\n' });
  });

  test.each([
    ['A=1\nexport B=s3cret', 2, 'is not an assignment'],
    ['A=1\r\n\r\n=s3cret', 3, 'is not an assignment'],
    ['A-B=s3cret', 1, 'is not an assignment'],
    ['A="two\nlines"\n# x\ns3cret', 4, 'is not an assignment'],
    ['A=1\nB="s3cret\nC=2', 2, 'a quote that is not closed'],
    ["A=1\nB='s3cret", 2, 'a quote that is not closed'],
    ['A="s3cret" # comment', 1, 'text after the closing quote'],
    ["A='it'\\''s s3cret'", 1, 'text after the closing quote'],
  ])('%j is refused at line %d, and the message has no value', (text, line, why) => {
    let message = '';
    try {
      parse(text);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toStartWith(`Line ${line} of /etc/quire.env`);
    expect(message).toContain(why);
    expect(message).not.toContain('s3cret');
  });
});
