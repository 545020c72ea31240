const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

/** Whether a URL leads to this machine alone. */
export const namesLoopback = (url: string): boolean => LOOPBACK.test(URL.parse(url)?.hostname ?? '');
