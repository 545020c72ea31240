/** The UI of the Temporal server of `npm start`. */
export const localTemporalUi = (port: number): string => `http://127.0.0.1:${port}`;

/** Where Temporal's own pages list the workflows of the namespace; `query` chooses some of them. */
export function workflowsPage({ ui, namespace, query }: { ui: string; namespace: string; query?: string }): string {
  const page = `${ui}/namespaces/${encodeURIComponent(namespace)}/workflows`;
  return query === undefined ? page : `${page}?${new URLSearchParams({ query })}`;
}
