import type {
  AccessibilityFinding,
  CheckWindow,
  ConsoleMessage,
  FailedRequest,
  PageError,
} from '../../../contract/checks/page-check.ts';
import type { CheckStep, StepResult } from '../../../contract/checks/steps.ts';
import type { Launch } from '../workerd/index.ts';

/** What the server and the driver, the process that controls one browser, tell each other. */

/** What to open, and how. */
export interface VisitOrder {
  launch: Launch;
  url: string;
  /** The URL that all addresses of the page begin with, without a slash at its end. Steps are done there only. */
  site: string;
  /** Those who visit the page. Each has cookies and storage of their own. */
  visitors: Array<{
    /** A cookie for the host of the URL. */
    cookie?: { name: string; value: string } | undefined;
  }>;
  steps: CheckStep[];
  window: CheckWindow;
  /** The browser is killed when it uses more memory. */
  maxBytes: number;
}

/** What the browser saw. All texts are the page's own, bounded in length and number. */
export interface VisitReport {
  /** Undefined if the page could not be drawn. */
  screenshot: Uint8Array | undefined;
  title: string;
  console: ConsoleMessage[];
  errors: PageError[];
  failedRequests: FailedRequest[];
  accessibility: AccessibilityFinding[];
  notes: string[];
  steps: StepResult[];
}

/** From the server: the order, then permission to start once the process is in its control group. */
export type ToDriver = { order: VisitOrder } | { go: true };

/** From the driver: the id of the first process in the box, then the report, or why there is none. */
export type FromDriver = { pid: number } | { report: VisitReport } | { failure: string };
