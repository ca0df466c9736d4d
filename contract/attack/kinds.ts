/** What can be wrong with an application. */
export const FINDING_KINDS = [
  'others-changed',
  'others-deleted',
  'personal-data',
  'counter',
  'stored-script',
  'function-reads',
  'function-changes',
  'function-sql',
  'function-data',
  'form-inbox',
  'secret-in-page',
  'password-in-page',
  'private-file',
  'no-rules',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export const SEVERITIES = ['high', 'medium', 'question'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** How long one attack takes at most. */
export const ATTACK_SECONDS = 90;
