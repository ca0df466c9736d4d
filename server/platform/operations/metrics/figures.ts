import { Counter, Gauge, type Registry } from 'prom-client';

/** One number, or several with a label each: `{ chat: 3, images: 0 }`. */
type Reading = number | Record<string, number>;

interface Figure {
  name: string;
  help: string;
  /** The label name for several numbers; undefined for a single number. */
  label?: string;
  /** Called on each scrape, so that updating the number stays a plain addition. */
  read(): Reading | Promise<Reading>;
}

/** A number that only grows. */
export function counter(registry: Registry, { name, help, label, read }: Figure): void {
  new Counter({
    name,
    help,
    labelNames: label ? [label] : [],
    registers: [registry],
    async collect() {
      const reading = await read();
      this.reset();
      each(reading, label, (labels, value) => this.inc(labels, value));
    },
  });
}

/** A number that goes up and down. */
export function gauge(registry: Registry, { name, help, label, read }: Figure): void {
  new Gauge({
    name,
    help,
    labelNames: label ? [label] : [],
    registers: [registry],
    async collect() {
      const reading = await read();
      this.reset();
      each(reading, label, (labels, value) => this.set(labels, value));
    },
  });
}

function each(
  reading: Reading,
  label: string | undefined,
  give: (labels: Record<string, string>, value: number) => void,
): void {
  if (typeof reading === 'number') {
    give({}, reading);
    return;
  }
  for (const [name, value] of Object.entries(reading)) give({ [label ?? 'name']: name }, value);
}
