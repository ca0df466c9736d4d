import type { FromDriver, ToDriver, VisitOrder } from '../visit.ts';
import { boxMemory } from './box-memory.ts';
import { BoxedBrowser } from './boxed-browser.ts';
import { DONE_BY } from './times.ts';
import { Visits } from './visits.ts';

/**
 * Controls one browser for one visit. The server ends it when it has the report. It is a process of its own because a
 * page can print so much that reading it would keep the server from serving others.
 */

const LOOK_EVERY_MS = 100;
const MEGABYTE = 1024 * 1024;

let permit = () => {};
const permitted = new Promise<void>((resolve) => {
  permit = resolve;
});

process.on('message', (message: ToDriver) => {
  if ('go' in message) permit();
  else void visit(message.order);
});
// The server has ended. The box ends with this process.
process.on('disconnect', () => process.exit(1));

async function visit(order: VisitOrder): Promise<void> {
  const browser = new BoxedBrowser(order.launch, (...event) => page.onEvent(...event));
  const page = new Visits(browser.pipe, order);
  try {
    const pid = await browser.pid;
    send({ pid });
    await permitted;
    const watching = setInterval(() => {
      if (boxMemory(pid) <= order.maxBytes) return;
      clearInterval(watching);
      page.fail(`The page used more than ${order.maxBytes / MEGABYTE} MB of memory, so it was stopped.`);
      browser.kill();
    }, LOOK_EVERY_MS);
    const deadline = setTimeout(() => browser.kill(), DONE_BY);
    browser.start();
    await browser.isConnected;
    await page.run();
    clearInterval(watching);
    clearTimeout(deadline);
    browser.kill();
    await browser.exited;
    send({ report: page.report() });
  } catch (error) {
    browser.kill();
    send({ failure: `${(error as Error).message}\n${browser.output}` });
  }
}

function send(message: FromDriver): void {
  process.send?.(message);
}
