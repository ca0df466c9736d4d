/** The environment variables of a command. */
export type Environment = Record<string, string | undefined>;
