/** The address of the cases of some objects in Temporal's own pages, where each case carries the id of its object. */
export function workflowsUrl(list: string, of: readonly string[]): string {
  const ids = of.map((id) => `"${id}"`).join(',');
  return `${list}?query=${encodeURIComponent(`FaturaObject IN (${ids})`)}`;
}
