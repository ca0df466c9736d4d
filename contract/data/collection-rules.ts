/** The people that a collection can name in a rule, from everybody to the owner of the page. */
export const RULES = ['anyone', 'user', 'member', 'author', 'admin', 'owner'] as const;
export type Rule = (typeof RULES)[number];

/** The actions that a collection can have a rule for. */
export const RULED_ACTIONS = ['read', 'create', 'update', 'delete'] as const;
export type RuledAction = (typeof RULED_ACTIONS)[number];

/** The rules of a collection. Without one, the storage mode decides. */
export type Rules = { [Action in RuledAction]?: Rule | undefined };

/** The records of a collection that an action is allowed on. */
export const REACHES = ['none', 'own', 'all'] as const;
export type Reach = (typeof REACHES)[number];
