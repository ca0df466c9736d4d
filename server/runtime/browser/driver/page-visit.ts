import { CHECK_SECONDS, WINDOWS } from '../../../../contract/checks/page-check.ts';
import type { VisitOrder, VisitReport } from '../visit.ts';
import { accessibilityScript, readFindings } from './accessibility.ts';
import { Observer } from './observer.ts';
import { NoAnswerError, type Params, type Pipe } from './pipe.ts';
import { readList, readNumber, readObject, readText, readUrl } from './values.ts';

/** When each step must have ended, in milliseconds after the start. */
const STARTED_BY = 6_000;
const LOADED_BY = 8_000;
const SETTLED_BY = 10_000;
const DRAWN_BY = 16_000;
/** The rest of the time is for stopping the browser and storing the picture. */
export const DONE_BY = (CHECK_SECONDS - 1) * 1_000;

/** A page is settled if no request began or ended for this long. */
const QUIET_MS = 500;
const LOOK_EVERY_MS = 25;
/** How long a page that works may take to answer. */
const ALIVE_MS = 2_000;
const PAUSE_MS = 3_000;
/** A page that prints more than this is not listened to any further. */
const MAX_MESSAGES = 5_000;

/** Opens one page and reports what happens. Whatever the page does, the report is complete when the time is up. */
export class PageVisit {
  private readonly observer = new Observer();
  private readonly startedAt = Date.now();
  private target = '';
  private session = '';
  private isLoaded = false;
  private isOpen = false;
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
  ) {}

  /** Adds an error of ours, for example that the browser was stopped. */
  fail(message: string): void {
    this.observer.fail(message);
  }

  report(): VisitReport {
    const { console, errors, failedRequests, notes } = this.observer;
    if (this.pipe.dropped > 0) this.observer.note('The page printed a text that is too large to be shown.');
    const { screenshot, title, accessibility } = this;
    return { screenshot, title, console, errors, failedRequests, accessibility, notes };
  }

  onEvent(method: string, params: Params, session: string | undefined): void {
    if (session === undefined) this.onBrowserEvent(method, params);
    if (session !== this.session) return;
    this.observer.event(method, params);
    if (this.observer.messages > MAX_MESSAGES) this.stopListening();
    if (method === 'Page.loadEventFired') this.isLoaded = true;
    if (method === 'Inspector.targetCrashed') this.crash();
    if (method === 'Page.javascriptDialogOpening') this.closeDialog(params);
    if (method === 'Debugger.paused') this.onPause(params);
  }

  /** Opens the page. Rejects only if the browser itself does not work. */
  async run(): Promise<void> {
    await this.open();
    try {
      const { errorText } = await this.sendToPage('Page.navigate', { url: this.order.url }, LOADED_BY);
      if (errorText) this.fail(`The page could not be opened: ${readText(errorText)}.`);
      await this.until(LOADED_BY, () => this.isLoaded);
      const isAlive = await this.settle();
      this.isOpen = false;
      await this.wake(isAlive);
      await this.readTitle();
      await this.draw();
      await this.checkAccessibility();
    } catch (error) {
      // The browser was stopped or does not answer: the report says so, and contains the rest.
      if (!(error instanceof NoAnswerError)) throw error;
    }
  }

  private async open(): Promise<void> {
    const { viewport, cookie, url } = this.order;
    const { width, height, scale } = WINDOWS[viewport];
    const isPhone = viewport === 'phone';
    await this.sendToBrowser('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
    const created = await this.sendToBrowser('Target.createTarget', { url: 'about:blank' });
    this.target = readText(created.targetId);
    const attached = await this.sendToBrowser('Target.attachToTarget', {
      targetId: this.target,
      flatten: true,
    });
    this.session = readText(attached.sessionId);
    await this.sendToBrowser('Target.setDiscoverTargets', { discover: true });
    const buffers = { maxTotalBufferSize: 1_024, maxResourceBufferSize: 1_024 };
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
      ...(cookie
        ? [
            this.sendToPage(
              'Network.setCookie',
              {
                ...cookie,
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
    this.isOpen = true;
  }

  /**
   * Waits until the page requests nothing more. On a busy machine, it may not have sent its next request yet. Resolves to
   * whether the page responds.
   */
  private async settle(): Promise<boolean> {
    for (;;) {
      await this.until(SETTLED_BY, () => this.isQuiet());
      const isAlive = await this.isAlive();
      if (!isAlive || this.isQuiet() || this.elapsed >= SETTLED_BY) return isAlive;
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
      const world = { frameId: this.target, worldName: 'quire' };
      const { executionContextId } = await this.sendToPage('Page.createIsolatedWorld', world, DONE_BY);
      const expression = await accessibilityScript();
      const run = { expression, contextId: executionContextId, awaitPromise: true, returnByValue: true };
      const timeout = Math.max(1, DONE_BY - this.elapsed);
      const answer = await this.sendToPage('Runtime.evaluate', { ...run, timeout }, DONE_BY);
      this.accessibility = readFindings(readObject(answer.result).value);
    } catch {
      this.observer.note('The accessibility of the page could not be checked in time.');
    }
  }

  private onBrowserEvent(method: string, params: Params): void {
    if (method === 'Target.targetCreated' && this.isOpen) {
      const { type, targetId, url } = readObject(params.targetInfo);
      if (type !== 'page' || targetId === this.target) return;
      this.observer.note(`The page tried to open a window${url ? ` (${readUrl(url)})` : ''}.`);
      void this.sendToBrowser('Target.closeTarget', { targetId }).catch(() => undefined);
    }
    if (method === 'Browser.downloadWillBegin')
      this.observer.note(`The page tried to download ${readUrl(params.url)}.`);
    if (method === 'Target.targetCrashed' && params.targetId === this.target) this.crash();
  }

  private closeDialog(params: Params): void {
    this.observer.note(
      `The page opened a dialog (${readText(params.type, 20)}): ${readText(params.message, 200)}`,
    );
    void this.sendToPage(
      'Page.handleJavaScriptDialog',
      { accept: params.type === 'beforeunload' },
      DONE_BY,
    ).catch(() => undefined);
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
