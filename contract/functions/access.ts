/** The access of endpoints for the owners of functions. */

export const READ = { kind: 'management', scope: 'functions:read' } as const;
export const WRITE = { kind: 'management', scope: 'functions:write' } as const;
