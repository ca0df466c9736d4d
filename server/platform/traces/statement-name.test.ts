import { expect, test } from 'bun:test';
import { describeStatement } from './statement-name.ts';

test.each([
  ['select "id" from "pages" where "slug" = ?', 'SQL SELECT pages'],
  ['  SELECT 1', 'SQL SELECT'],
  ['insert into "users" ("name") values ($1)', 'SQL INSERT users'],
  ['update "functions" set "code" = $1', 'SQL UPDATE functions'],
  ['delete from records where id = 1', 'SQL DELETE'],
  ['with "a" as (select 1 from "pages") select * from "a"', 'SQL WITH pages'],
  ['begin immediate', 'SQL BEGIN'],
  ["pragma key = 'secret'", 'SQL other'],
  ["select 'from Secret42'", 'SQL SELECT'],
  ['', 'SQL other'],
])('%s is %s', (text, name) => {
  expect(describeStatement(text)[0]).toBe(name);
});
