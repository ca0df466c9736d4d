/** The query parameter with a call ticket. The function never sees it. */
export const CALL_TICKET_PARAM = 'quire_ticket';

/** The query parameter that says from which branch a call comes. The function never sees it. */
export const BRANCH_PARAM = 'quire_branch';

/** The query parameter of a test call that says whom it is made for. The function never sees it. */
export const TEST_AS_PARAM = 'quire_as';

/** Words for whom a test call is made. Any other is the username of a member. */
export const TEST_AS_OWNER = 'owner';
export const TEST_AS_NOBODY = 'nobody';
