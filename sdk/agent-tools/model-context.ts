/** The browser's own interface for agents, https://webmachinelearning.github.io/webmcp, as far as we use it. */
interface ModelContext {
  registerTool(tool: {
    name: string;
    title: string;
    description: string;
    inputSchema: object;
    annotations: { readOnlyHint: boolean; untrustedContentHint: boolean };
    execute(input: object): Promise<unknown>;
  }): unknown;
}

/** The browser's interface for agents, if it has one. It moved from the navigator to the document. */
export function findModelContext(): ModelContext | undefined {
  const [now, before] = [document, navigator] as { modelContext?: ModelContext }[];
  return now?.modelContext ?? before?.modelContext;
}
