const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

/** Whether a URL leads to this machine alone. */
export const namesLoopback = (url: string): boolean => LOOPBACK.test(URL.parse(url)?.hostname ?? '');

/** Whether clients of a URL send in plain text over a network that others may listen to. */
export const isPlainHttpUrl = (url: string): boolean => URL.parse(url)?.protocol === 'http:' && !namesLoopback(url);

/** As callers on this machine name a port of its own. */
const ownHosts = (port: number): string[] => ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);

/** Whether a call names this machine: a page whose name was made to lead here comes with its own name as host. */
export const namesOwnPort = (host: string | undefined, port: number): boolean => ownHosts(port).includes(host ?? '');

/** The origins of the pages that a port of this machine serves. */
export const ownOrigins = (port: number): string[] => ownHosts(port).map((host) => `http://${host}`);
