import { zValidator } from '@hono/zod-validator';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { z } from 'zod';
import { toUnits, UNITS } from './units.ts';

/** Converts lengths with Hono: a page in JSX, and an API whose input is checked. */

const Query = z.object({ amount: z.coerce.number().nonnegative(), from: z.enum(UNITS).default('m') });

const app = new Hono();
app.use(secureHeaders());

app.get('/', (c) =>
  c.html(
    <html lang="en">
      <head>
        <title>Lengths</title>
      </head>
      <body>
        <h1>Lengths</h1>
        <form action="/convert">
          <input name="amount" type="number" min="0" step="any" value="1" aria-label="Amount" />
          <select name="from" aria-label="Unit">
            {UNITS.map((unit) => (
              <option value={unit}>{unit}</option>
            ))}
          </select>
          <button type="submit">Convert</button>
        </form>
      </body>
    </html>,
  ),
);

app.get('/convert', zValidator('query', Query), (c) => {
  const { amount, from } = c.req.valid('query');
  return c.json(toUnits(amount, from));
});

export default app;
