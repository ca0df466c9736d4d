import { CHECK_STEP_SECONDS, type CheckStep } from '../../../../contract/checks/steps.ts';
import type { VisitOrder, VisitReport } from '../visit.ts';
import { accessibilityScript, readFindings } from './accessibility.ts';
import { Observer } from './observer.ts';
import type { Params, Pipe } from './pipe.ts';
import { doStep, StepFailed } from './steps/do-step.ts';
import { DONE_BY, DRAWN_BY, LOADED_BY, SETTLED_BY, STARTED_BY, STEPS_BY } from './times.ts';
import { readList, readNumber, readObject, readText, readUrl } from './values.ts';

/** A page is settled if no request began or ended for this long. */
const QUIET_MS = 500;
const LOOK_EVERY_MS = 25;
/** How long a page that works may take to answer. */
const ALIVE_MS = 2_000;
const PAUSE_MS = 3_000;
/** Bytes of a response that the browser keeps, to show the text of one that failed. */
const RESPONSE_BYTES = 16 * 1024;
/** A page that prints more than this is not listened to any further. */
const MAX_MESSAGES = 5_000;

/** The page as one visitor sees it, and what happens there. */
export class PageVisit {
  /** The browser's id of the tab. */
  target = '';
  private readonly observer = new Observer();
  private session = '';
  private isLoaded = false;
  /** True while a step is done: then the page gets the answer to a question that people would give. */
  private isActing = false;
  private hasStoppedListening = false;
  private hasCrashed = false;
  private screenshot: Uint8Array | undefined;
  private title = '';
  private accessibility: VisitReport['accessibility'] = [];
  /** A page can pause itself, with a `debugger` statement. */
  private onPause: (params: Params) => void = () =>
    void this.sendToPage('Debugger.resume', {}, DONE_BY).catch(() => undefined);

  constructor(
    private readonly pipe: Pipe,
    private readonly order: VisitOrder,
    private readonly cookie: VisitOrder['visitors'][number]['cookie'],
    private readonly startedAt: number,
  ) {}

  /** Adds an error of ours, for example that the browser was stopped. */
  fail(message: string): void {
    this.observer.fail(message);
  }

  note(sentence: string): void {
    this.observer.note(sentence);
  }

  report(): Omit<VisitReport, 'steps'> {
    const { console, errors, failedRequests, notes } = this.observer;
    if (this.pipe.dropped > 0) this.observer.note('The page printed a text that is too large to be shown.');
    const { screenshot, title, accessibility } = this;
    return { screenshot, title, console, errors, failedRequests, accessibility, notes };
  }

  onEvent(method: string, params: Params, session: string | undefined): void {
    if (session === undefined && method === 'Target.targetCrashed' && params.targetId === this.target)
      this.crash();
    if (session === undefined || session !== this.session) return;
    this.observer.event(method, params);
    if (this.observer.messages > MAX_MESSAGES) this.stopListening();
    if (method === 'Network.loadingFinished') void this.readFailures(readText(params.requestId));
    if (method === 'Page.loadEventFired') this.isLoaded = true;
    if (method === 'Inspector.targetCrashed') this.crash();
    if (method === 'Page.javascriptDialogOpening') this.closeDialog(params);
    if (method === 'Debugger.paused') this.onPause(params);
  }

  /** Opens a tab, in the part of the browser that this visitor has. */
  async open(browserContextId: string | undefined): Promise<void> {
    const { window, url } = this.order;
    const { width, height, scale, isPhone } = window;
    const context = browserContextId === undefined ? {} : { browserContextId };
    await this.sendToBrowser('Browser.setDownloadBehavior', {
      ...context,
      behavior: 'deny',
      eventsEnabled: true,
    });
    const created = await this.sendToBrowser('Target.createTarget', { url: 'about:blank', ...context });
    this.target = readText(created.targetId);
    const attached = await this.sendToBrowser('Target.attachToTarget', {
      targetId: this.target,
      flatten: true,
    });
    this.session = readText(attached.sessionId);
    const buffers = { maxTotalBufferSize: RESPONSE_BYTES * 16, maxResourceBufferSize: RESPONSE_BYTES };
    await Promise.all([
      this.sendToPage('Page.enable', {}, STARTED_BY),
      this.sendToPage('Runtime.enable', {}, STARTED_BY),
      this.sendToPage('Log.enable', {}, STARTED_BY),
      this.sendToPage('Inspector.enable', {}, STARTED_BY),
      // Before the page runs: one that does not respond can then still be interrupted.
      this.sendToPage('Debugger.enable', {}, STARTED_BY),
      this.sendToPage('Network.enable', buffers, STARTED_BY),
      this.sendToPage(
        'Emulation.setDeviceMetricsOverride',
        { width, height, deviceScaleFactor: scale, mobile: isPhone },
        STARTED_BY,
      ),
      this.sendToPage('Emulation.setTouchEmulationEnabled', { enabled: isPhone }, STARTED_BY),
      ...(this.cookie
        ? [
            this.sendToPage(
              'Network.setCookie',
              {
                ...this.cookie,
                url,
                path: '/',
                httpOnly: true,
                sameSite: 'Lax',
                secure: url.startsWith('https:'),
              },
              STARTED_BY,
            ),
          ]
        : []),
    ]);
  }

  /** Goes to the page, and waits until it is there. */
  async load(): Promise<void> {
    const { errorText } = await this.sendToPage('Page.navigate', { url: this.order.url }, LOADED_BY);
    if (errorText) this.fail(`The page could not be opened: ${readText(errorText)}.`);
    await this.until(LOADED_BY, () => this.isLoaded);
    const isAlive = await this.settle(SETTLED_BY);
    await this.wake(isAlive);
  }

  /** Does a step. Fails with the reason if that is impossible. */
  async act(step: CheckStep): Promise<void> {
    if (this.hasCrashed) throw new StepFailed('The page has crashed.');
    const byMs = Math.min(STEPS_BY, this.elapsed + CHECK_STEP_SECONDS * 1_000);
    const tab = {
      send: (method: string, params: Params) => this.sendToPage(method, params, byMs),
      makeWorld: () => this.makeWorld(byMs),
      assertOnSite: () => this.assertOnSite(),
    };
    this.isActing = true;
    try {
      await doStep(tab, step, this.startedAt + byMs);
    } finally {
      this.isActing = false;
    }
  }

  /** Waits until what the steps have begun has ended. */
  async settleAfterSteps(): Promise<void> {
    if (this.hasCrashed) return;
    const isAlive = await this.settle(STEPS_BY);
    if (!isAlive) await this.wake(isAlive);
  }

  /** Takes the picture, and looks at the rest. */
  async look(): Promise<void> {
    await this.readTitle();
    await this.readFailures();
    await this.draw();
    await this.checkAccessibility();
  }

  /** Steps are for the site: what it leads to is somebody else's. */
  private assertOnSite(): void {
    const { url } = this.observer;
    const { site } = this.order;
    if (url === site || ['/', '?', '#'].some((next) => url.startsWith(site + next))) return;
    throw new StepFailed(`The browser is at ${readUrl(url)}, which is not part of the page.`);
  }

  /** Makes a world where the page's scripts cannot change anything. */
  private async makeWorld(byMs: number): Promise<unknown> {
    const world = { frameId: this.target, worldName: 'quire' };
    return (await this.sendToPage('Page.createIsolatedWorld', world, byMs)).executionContextId;
  }

  /**
   * Waits until the page requests nothing more. On a busy machine, it may not have sent its next request yet. Resolves to
   * whether the page responds.
   */
  private async settle(byMs: number): Promise<boolean> {
    for (;;) {
      await this.until(byMs, () => this.isQuiet());
      const isAlive = await this.isAlive();
      if (!isAlive || this.isQuiet() || this.elapsed >= byMs) return isAlive;
    }
  }

  /** True if the page's own thread answers. What was due before is done by then. */
  private isAlive(): Promise<boolean> {
    return this.sendToPage('Runtime.evaluate', { expression: '1' }, this.elapsed + ALIVE_MS).then(
      () => true,
      () => false,
    );
  }

  /** A script that never ends keeps the page from answering. Stopping it often leaves something to see. */
  private async wake(isAlive: boolean): Promise<void> {
    if (this.hasCrashed) return;
    if (isAlive) {
      if (!this.isLoaded) this.fail(`The page did not finish loading within ${LOADED_BY / 1_000} seconds.`);
      return;
    }
    const line = await this.interrupt();
    this.observer.fail('The page does not respond: one of its scripts does not end.', line);
    for (const command of ['Runtime.terminateExecution', 'Debugger.resume'])
      await this.sendToPage(command, {}, this.elapsed + ALIVE_MS).catch(() => undefined);
  }

  /** Pauses the script that is running. Resolves to its line; undefined if it cannot be paused. */
  private async interrupt(): Promise<number | undefined> {
    const paused = new Promise<Params>((resolve) => {
      this.onPause = resolve;
    });
    await this.sendToPage('Debugger.pause', {}, this.elapsed + ALIVE_MS).catch(() => undefined);
    const stack = await Promise.race([paused, Bun.sleep(PAUSE_MS)]);
    return this.observer.lineOfPause(stack);
  }

  private async readTitle(): Promise<void> {
    const history = await this.sendToPage('Page.getNavigationHistory', {}, this.elapsed + ALIVE_MS);
    const current = readList(history.entries)[readNumber(history.currentIndex) ?? -1];
    this.title = readText(current?.title);
  }

  /** Reads the response to a request that failed, or to all: a script need not read them, and then they do not end. */
  private async readFailures(id?: string): Promise<void> {
    const ids = this.observer.unreadFailures.filter((each) => id === undefined || each === id);
    const read = async (requestId: string) => {
      const body = await this.sendToPage('Network.getResponseBody', { requestId }, this.elapsed + ALIVE_MS);
      this.observer.addResponseText(requestId, body);
    };
    // The browser does not keep large responses, and those of documents that are gone.
    await Promise.all(ids.map((each) => read(each).catch(() => undefined)));
  }

  private async draw(): Promise<void> {
    if (this.hasCrashed) return;
    try {
      const picture = await this.sendToPage('Page.captureScreenshot', { format: 'png' }, DRAWN_BY);
      if (typeof picture.data === 'string') this.screenshot = Buffer.from(picture.data, 'base64');
    } catch {
      this.observer.note('The page could not be drawn in time.');
    }
  }

  /** Runs axe in a world of its own, where the page's scripts cannot change it. */
  private async checkAccessibility(): Promise<void> {
    if (this.hasCrashed) return;
    try {
      const contextId = await this.makeWorld(DONE_BY);
      const expression = await accessibilityScript();
      const run = { expression, contextId, awaitPromise: true, returnByValue: true };
      const timeout = Math.max(1, DONE_BY - this.elapsed);
      const answer = await this.sendToPage('Runtime.evaluate', { ...run, timeout }, DONE_BY);
      this.accessibility = readFindings(readObject(answer.result).value);
    } catch {
      this.observer.note('The accessibility of the page could not be checked in time.');
    }
  }

  /** Closes a dialog. Somebody who has clicked on something agrees to it. */
  private closeDialog(params: Params): void {
    const isAgreed = this.isActing && params.type === 'confirm';
    const answer = isAgreed ? ' It was answered with OK.' : '';
    this.observer.note(
      `The page opened a dialog (${readText(params.type, 20)}): ${readText(params.message, 200)}${answer}`,
    );
    const accept = isAgreed || params.type === 'beforeunload';
    void this.sendToPage('Page.handleJavaScriptDialog', { accept }, DONE_BY).catch(() => undefined);
  }

  private crash(): void {
    if (this.hasCrashed) return;
    this.hasCrashed = true;
    this.fail('The page crashed. It may have used too much memory.');
  }

  private stopListening(): void {
    if (this.hasStoppedListening) return;
    this.hasStoppedListening = true;
    for (const domain of ['Runtime', 'Log'])
      void this.sendToPage(`${domain}.disable`, {}, DONE_BY).catch(() => undefined);
  }

  private isQuiet(): boolean {
    return this.observer.openRequests === 0 && Date.now() - this.observer.changedAt > QUIET_MS;
  }

  private get elapsed(): number {
    return Date.now() - this.startedAt;
  }

  private async until(timeMs: number, isTrue: () => boolean): Promise<void> {
    while (!isTrue() && !this.hasCrashed && this.elapsed < timeMs) await Bun.sleep(LOOK_EVERY_MS);
  }

  /** Sends a command to the page. */
  private sendToPage(method: string, params: Params, byMs: number): Promise<Params> {
    return this.pipe.send(method, params, { session: this.session, withinMs: byMs - this.elapsed });
  }

  /** Sends a command to the browser. */
  private sendToBrowser(method: string, params: Params): Promise<Params> {
    return this.pipe.send(method, params, { withinMs: STARTED_BY - this.elapsed });
  }
}
