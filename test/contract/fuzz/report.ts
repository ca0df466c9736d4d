import type { Report } from './fuzz.ts';

const MOST_FAULTS = 20;

export function reportLines(
  { requests, operations, faults, statuses, neverWorked }: Report,
  seed: number,
): string[] {
  const counts = new Map<number, number>();
  for (const [status, times] of [...statuses.values()].flatMap((each) => [...each])) {
    counts.set(status, (counts.get(status) ?? 0) + times);
  }
  const sorted = [...counts].sort(([one], [other]) => one - other);
  return [
    ...faults
      .slice(0, MOST_FAULTS)
      .flatMap(({ operationId, message, curl, answer, times }) => [
        `${operationId} (${times} times): ${message}`,
        `    ${curl}`,
        `    ${answer}`,
      ]),
    ...(faults.length > MOST_FAULTS ? [`… and ${faults.length - MOST_FAULTS} more`] : []),
    ...neverWorked.map((id) => `${id} never worked: ${JSON.stringify([...(statuses.get(id) ?? [])])}`),
    `${requests.toLocaleString('en')} requests to ${operations} operations with --seed ${seed}: ` +
      `${faults.length} faults, ${neverWorked.length} operations never worked.`,
    `Statuses: ${sorted.map(([status, times]) => `${status} × ${times}`).join(', ')}`,
  ];
}
