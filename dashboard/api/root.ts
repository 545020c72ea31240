/** The path of the dashboard on its host, as the server wrote it into the page. */
export const ROOT = document.documentElement.dataset.root ?? '/dashboard';
