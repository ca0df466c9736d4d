/** A function whose transactions do what each test asks for by name. */
export const TRANSACTIONS = `
const insert = (db, text) => db.prepare('INSERT INTO notes (text) VALUES (?)').bind(text).run();
const texts = async (db) => (await db.prepare('SELECT text FROM notes ORDER BY id').raw()).map(([text]) => text);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const failed = (promise) => promise.then(() => null, (error) => error.message);
const cases = {
  texts: ({ db }) => texts(db),
  insert: async ({ db, input }) => (await insert(db, input.text)).meta.changes,
  methods: ({ db }) => db.transaction(async (tx) => {
    const run = await tx.prepare('INSERT INTO notes (text) VALUES (?)').bind('a').run();
    const [first, second] = await tx.batch([
      db.prepare('INSERT INTO notes (text) VALUES (?)').bind('b'), tx.prepare('SELECT count(*) AS n FROM notes')]);
    return {
      run: run.meta.last_row_id, changes: first.meta.changes, count: second.results,
      meta: Object.keys(run.meta).sort(),
      all: (await tx.prepare('SELECT text FROM notes ORDER BY id').all()).results,
      first: await tx.prepare('SELECT text FROM notes WHERE id = ?').bind(2).first('text'),
      none: await tx.prepare('SELECT text FROM notes WHERE id = 9').first(),
      raw: await tx.prepare('SELECT id, text FROM notes ORDER BY id').raw({ columnNames: true }),
      exec: (await tx.exec("INSERT INTO notes (text) VALUES ('c');\\nINSERT INTO notes (text) VALUES ('d')")).count,
      session: await tx.withSession().prepare('SELECT count(*) AS n FROM notes').first('n'),
    };
  }),
  throws: ({ db }) => db.transaction(async (tx) => {
    await insert(tx, 'thrown');
    throw new RangeError('not enough');
  }),
  unused: ({ db }) => db.transaction(() => 'unused'),
  notFunction: ({ db }) => db.transaction('x'),
  nested: ({ db }) => db.transaction(async (tx) => {
    await insert(tx, 'outer');
    await tx.transaction((inner) => insert(inner, 'kept'));
    const error = await failed(tx.transaction(async (inner) => {
      await insert(inner, 'undone');
      await inner.transaction((deeper) => insert(deeper, 'undone too'));
      throw new Error('inner');
    }));
    await insert(tx, 'after');
    return error;
  }),
  deep: ({ db, input }) => {
    const open = (tx, depth) => depth === input.depth ? insert(tx, 'deep').then(() => depth) : tx.transaction((inner) => open(inner, depth + 1));
    return open(db, 0);
  },
  outerWhileInner: ({ db }) => db.transaction((tx) => tx.transaction(() => insert(tx, 'outer'))),
  besides: ({ db }) => db.transaction(async (tx) => [
    await failed(insert(db, 'beside')), await failed(db.batch([db.prepare('SELECT 1')])), await failed(db.exec('SELECT 1')),
    await failed(db.withSession().prepare('SELECT 1').all()), await failed(db.transaction(() => 1)), (await insert(tx, 'inside')).meta.changes,
  ]),
  late: async ({ db }) => {
    let kept;
    await db.transaction(async (tx) => { kept = tx; await insert(tx, 'in time'); });
    return [await failed(insert(kept, 'late')), await failed(kept.transaction(() => 1)), (await insert(db, 'outside')).meta.changes];
  },
  forgotten: ({ db }) => db.transaction(async (tx) => { insert(tx, 'forgotten'); }),
  forgottenFailure: ({ db }) => db.transaction(async (tx) => { await insert(tx, 'first'); tx.prepare('INSERT INTO nowhere VALUES (1)').run().catch(() => {}); }),
  forgottenChain: async ({ db }) => {
    let chain;
    await db.transaction(async (tx) => { chain = (async () => { await insert(tx, 'one'); await insert(tx, 'two'); })(); });
    return failed(chain);
  },
  forgottenInside: ({ db }) => db.transaction(async (tx) => { tx.transaction(async (inner) => { await insert(inner, 'x'); await pause(100); }).catch(() => {}); await insert2(tx); async function insert2() { await pause(20); } }),
  hangs: ({ db }) => db.transaction(async (tx) => { await insert(tx, 'hanging'); await new Promise(() => {}); }),
  slow: ({ db }) => db.transaction(async (tx) => { for (let i = 0; ; i++) { await insert(tx, 'slow' + i); await pause(300); } }),
  lateIdle: ({ db }) => db.transaction(async (tx) => { await insert(tx, 'idle'); await pause(1500); await insert(tx, 'later'); }),
  afterTimeout: async ({ db }) => {
    const inner = Promise.withResolvers();
    await db.transaction(async (tx) => { await pause(1500); inner.resolve(await insert(tx, 'late').catch(({ message, code }) => ({ message, code }))); }).catch(() => {});
    return inner.promise;
  },
  inTime: ({ db }) => db.transaction(async (tx) => { await insert(tx, 'a'); await pause(700); await insert(tx, 'b'); }),
  streams: ({ db, input }) => {
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    const write = (text) => writer.write(new TextEncoder().encode(text));
    db.transaction(async (tx) => {
      for (let i = 0; i < input.count; i++) { await insert(tx, 'streamed ' + i); await write('row ' + i + ' '); }
    }).then(() => write('kept')).catch((error) => write(error.code)).finally(() => writer.close());
    return new Response(readable);
  },
  spins: ({ db }) => db.transaction(async (tx) => { await insert(tx, 'spinning'); for (;;); }),
  holds: ({ db, input }) => db.transaction(async (tx) => { await insert(tx, 'held'); for (let ms = 0; ms < input.ms; ms += 100) { await pause(100); await texts(tx); } return 'held'; }),
  statements: ({ db, input }) => db.transaction(async (tx) => {
    const results = [];
    for (const text of input.sql) results.push(await failed(tx.prepare(text).run()));
    return results;
  }),
  firstError: ({ db, input }) => db.transaction(async (tx) => { for (const text of input.sql) await tx.prepare(text).run(); }),
  parameter: ({ db, input }) => db.transaction(async (tx) => {
    await insert(tx, 'x'.repeat(input.length));
    return tx.prepare('SELECT length(text) AS n FROM notes').first('n');
  }),
  batchOf: async ({ db, input }) => {
    const text = 'x'.repeat(1024 * 1024 - 100);
    const statements = Array.from({ length: input.count }, () => db.prepare('SELECT length(?) AS n').bind(text));
    return (await db.transaction((tx) => tx.batch(statements))).length;
  },
  many: ({ db, input }) => db.transaction(async (tx) => {
    for (let i = 0; i < input.count; i += 100) await Promise.all(Array.from({ length: 100 }, (_, j) => insert(tx, i + j)));
    return tx.prepare('SELECT count(*) AS n FROM notes').first('n');
  }),
  rows: ({ db, input }) => db.transaction(async (tx) => (await tx.prepare('WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?) SELECT x FROM n').bind(input.count).raw()).length),
  lines: async ({ db, input }) => {
    const { readable, writable } = new IdentityTransformStream();
    const response = await db.fetcher.fetch('http://d1/transaction', { method: 'POST', body: readable });
    const writer = writable.getWriter();
    const sending = (async () => { for (const line of input.lines) await (typeof line === 'number' ? pause(line) : writer.write(new TextEncoder().encode(line))); if (input.closes) await writer.close(); })().catch(() => {});
    if (input.readsLast) await sending;
    return (await response.text()).trim().split('\\n').map((line) => JSON.parse(line)).map(({ success, error }) => success || error);
  },
};
export default {
  async fetch(request, env) {
    const { run, ...input } = await request.json();
    try {
      const value = await cases[run]({ db: env.DB, input });
      return value instanceof Response ? value : Response.json({ value });
    } catch (error) {
      return Response.json({ name: error.name, error: error.message, code: error.code });
    }
  },
};`;
