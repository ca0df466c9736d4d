import { readProblem } from '../../../contract/admin/problems.ts';
import { sayMessage, translated } from '../../texts/index.ts';

/** What is wrong with a backup or a replica, which the server has stored in English. */
export function sayProblem(problem: string): string {
  const known = readProblem(problem);
  return known ? translated(known) : sayMessage({ error: problem });
}
