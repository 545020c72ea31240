/** The calendar of the service, wherever the browser is. */
export const TIME_ZONE = 'America/Sao_Paulo';
