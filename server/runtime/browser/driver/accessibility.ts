import {
  type AccessibilityFinding,
  IMPACTS,
  MAX_FINDING_ELEMENTS,
  MAX_FINDINGS,
} from '../../../../contract/checks/page-check.ts';
import { readList, readNumber, readText, readUrl } from './values.ts';

const MAX_SELECTOR = 200;

/** Skips frames: axe is not loaded in them, and would wait for each. */
const OPTIONS = { resultTypes: ['violations'], iframes: false };

/** A program that runs axe in the page and returns as much of its findings as we show. */
export async function accessibilityScript(): Promise<string> {
  const { default: axe } = await import('axe-core');
  return `${axe.source};
axe.run(document, ${JSON.stringify(OPTIONS)}).then(({ violations }) =>
  violations.slice(0, ${MAX_FINDINGS}).map(({ id, impact, help, helpUrl, nodes }) => ({
    id, impact, help, helpUrl,
    count: nodes.length,
    elements: nodes.slice(0, ${MAX_FINDING_ELEMENTS}).map(({ target }) => String(target).slice(0, ${MAX_SELECTOR})),
  })))`;
}

/** Reads the findings. The page may have changed them. */
export function readFindings(value: unknown): AccessibilityFinding[] {
  return readList(value)
    .slice(0, MAX_FINDINGS)
    .map((finding) => ({
      rule: readText(finding.id, MAX_SELECTOR),
      impact: IMPACTS.find((impact) => impact === finding.impact) ?? null,
      help: readText(finding.help),
      // The dashboard links to this URL.
      helpUrl: readUrl(finding.helpUrl).startsWith('https://') ? readUrl(finding.helpUrl) : '',
      count: Math.round(readNumber(finding.count) ?? 0),
      elements: (Array.isArray(finding.elements) ? finding.elements : [])
        .slice(0, MAX_FINDING_ELEMENTS)
        .map((element) => readText(element, MAX_SELECTOR)),
    }));
}
