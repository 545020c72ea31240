const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

/** Whether a URL leads to this machine alone. */
export const namesLoopback = (url: string): boolean => LOOPBACK.test(URL.parse(url)?.hostname ?? '');

/** Whether clients of a URL send in plain text over a network that others may listen to. */
export const isPlainHttpUrl = (url: string): boolean => URL.parse(url)?.protocol === 'http:' && !namesLoopback(url);
