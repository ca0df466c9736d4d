/** The environment variables a command is given. */
export type Environment = Record<string, string | undefined>;
