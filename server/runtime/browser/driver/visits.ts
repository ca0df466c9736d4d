import {
  MAX_CONSOLE_MESSAGES,
  MAX_FAILED_REQUESTS,
  MAX_NOTES,
  MAX_PAGE_ERRORS,
} from '../../../../contract/checks/page-check.ts';
import type { StepResult } from '../../../../contract/checks/steps.ts';
import type { VisitOrder, VisitReport } from '../visit.ts';
import { PageVisit } from './page-visit.ts';
import { NoAnswerError, type Params, type Pipe } from './pipe.ts';
import { StepFailed, sayStep } from './steps/do-step.ts';
import { STARTED_BY, STEPS_BY } from './times.ts';
import { readObject, readText, readUrl } from './values.ts';

/**
 * Opens a page for each of its visitors, does the steps, and reports what happens. Whatever the page does, the report is
 * complete when the time is up.
 */
export class Visits {
  private readonly startedAt = Date.now();
  private readonly tabs: PageVisit[];
  /** The one who did the last step. The picture shows what they see. */
  private last: PageVisit;
  private readonly results: StepResult[] = [];
  private isOpen = false;

  constructor(
    private readonly pipe: Pipe,
    private readonly order: VisitOrder,
  ) {
    const open = ({ cookie }: VisitOrder['visitors'][number]) =>
      new PageVisit(pipe, order, cookie, this.startedAt);
    const [first = {}, ...others] = order.visitors;
    this.last = open(first);
    this.tabs = [this.last, ...others.map(open)];
  }

  /** Adds an error of ours, for example that the browser was stopped. */
  fail(message: string): void {
    this.last.fail(message);
  }

  report(): VisitReport {
    const reports = this.tabs.map((tab) => tab.report());
    const isAlone = reports.length === 1;
    const collect = <Key extends 'console' | 'errors' | 'failedRequests'>(key: Key, most: number) =>
      reports
        .flatMap((report, index) => report[key].map((item) => (isAlone ? item : { ...item, by: index + 1 })))
        .slice(0, most) as VisitReport[Key];
    return {
      ...this.last.report(),
      console: collect('console', MAX_CONSOLE_MESSAGES),
      errors: collect('errors', MAX_PAGE_ERRORS),
      failedRequests: collect('failedRequests', MAX_FAILED_REQUESTS),
      notes: [...new Set(reports.flatMap(({ notes }) => notes))].slice(0, MAX_NOTES),
      steps: this.order.steps.map(
        (step, index) => this.results[index] ?? { ...this.describe(step), state: 'skipped' },
      ),
    };
  }

  onEvent(method: string, params: Params, session: string | undefined): void {
    if (session === undefined) this.onBrowserEvent(method, params);
    for (const tab of this.tabs) tab.onEvent(method, params, session);
  }

  /** Rejects only if the browser itself does not work. */
  async run(): Promise<void> {
    for (const tab of this.tabs) await tab.open(await this.makeContext());
    await this.sendToBrowser('Target.setDiscoverTargets', { discover: true });
    this.isOpen = true;
    try {
      await Promise.all(this.tabs.map((tab) => tab.load()));
      await this.doSteps();
      this.isOpen = false;
      await this.last.look();
    } catch (error) {
      // The browser was stopped or does not answer: the report says so, and contains the rest.
      if (!(error instanceof NoAnswerError)) throw error;
    }
  }

  /** A part of the browser with cookies and storage of its own. One visitor needs none. */
  private async makeContext(): Promise<string | undefined> {
    if (this.tabs.length === 1) return undefined;
    const made = await this.sendToBrowser('Target.createBrowserContext', {});
    return readText(made.browserContextId);
  }

  private async doSteps(): Promise<void> {
    for (const step of this.order.steps) {
      const tab = this.tabs[(step.by ?? 1) - 1] ?? this.last;
      this.last = tab;
      const reason = await tab.act(step).then(
        () => undefined,
        (error: Error) => this.explain(error),
      );
      const state = reason === undefined ? 'done' : 'failed';
      this.results.push({ ...this.describe(step), state, ...(reason !== undefined && { reason }) });
      if (reason !== undefined) break;
    }
    if (this.order.steps.length > 0) await Promise.all(this.tabs.map((tab) => tab.settleAfterSteps()));
  }

  private explain(error: Error): string {
    if (error instanceof StepFailed) return error.message;
    const isLate = Date.now() - this.startedAt >= STEPS_BY;
    return isLate ? 'The time for all steps was over.' : 'The page did not respond to it.';
  }

  private describe(step: VisitOrder['steps'][number]): Pick<StepResult, 'step' | 'by'> {
    return { step: sayStep(step), ...(this.tabs.length > 1 && { by: step.by ?? 1 }) };
  }

  private onBrowserEvent(method: string, params: Params): void {
    if (method === 'Target.targetCreated' && this.isOpen) {
      const { type, targetId, url, openerId } = readObject(params.targetInfo);
      if (type !== 'page' || this.tabs.some(({ target }) => target === targetId)) return;
      const opener = this.tabs.find(({ target }) => target === openerId) ?? this.last;
      opener.note(`The page tried to open a window${url ? ` (${readUrl(url)})` : ''}.`);
      void this.sendToBrowser('Target.closeTarget', { targetId }).catch(() => undefined);
    }
    if (method === 'Browser.downloadWillBegin')
      this.last.note(`The page tried to download ${readUrl(params.url)}.`);
  }

  private sendToBrowser(method: string, params: Params): Promise<Params> {
    const withinMs = (this.isOpen ? STEPS_BY : STARTED_BY) - (Date.now() - this.startedAt);
    return this.pipe.send(method, params, { withinMs });
  }
}
