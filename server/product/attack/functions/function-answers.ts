import type { Tried } from '../send.ts';
import { isId } from '../source/invent.ts';

/** What an answer of a function says. */

export const SQL_ERROR = /syntax error|unrecognized token|SQLITE_ERROR|near "/i;

/** Whether the code of a function knows who asks. */
export const tellsApart = (code: string) => /x-quire-user-(id|name)|x-quire-team-role/i.test(code);

/** Whether a function says that it did nothing. */
export const isRefusal = ({ text }: Tried) =>
  /forbidden|not allowed|unauthori[sz]ed|denied|verboten|log ?in|"(ok|success)"\s*:\s*false|"changes"\s*:\s*0|not (yours|found)|"error"/i.test(
    text,
  );

/** The ids in an answer, first those of things that hold the mark. */
export function listIds(json: unknown, mark: string): Array<string | number> {
  const found: Array<{ id: string | number; isOwn: boolean }> = [];
  const visit = (value: unknown, depth: number): void => {
    if (depth > 6 || typeof value !== 'object' || value === null || found.length > 100) return;
    for (const [key, each] of Object.entries(value)) {
      const isScalar = typeof each === 'string' || typeof each === 'number';
      if (isScalar && isId(key)) found.push({ id: each, isOwn: JSON.stringify(value).includes(mark) });
      visit(each, depth + 1);
    }
  };
  visit(json, 0);
  return found.sort((a, b) => Number(b.isOwn) - Number(a.isOwn)).map(({ id }) => id);
}
