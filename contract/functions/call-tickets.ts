/** The query parameter with a call ticket. The function never sees it. */
export const CALL_TICKET_PARAM = 'quire_ticket';
