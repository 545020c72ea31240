/** What operators find a case by in the Temporal UI; whoever starts one sets the first two. */
export const faturaAccount = { name: 'FaturaAccount', type: 'KEYWORD' } as const;
export const faturaObject = { name: 'FaturaObject', type: 'KEYWORD' } as const;
export const faturaStatus = { name: 'FaturaStatus', type: 'KEYWORD' } as const;
export const faturaNextDue = { name: 'FaturaNextDue', type: 'DATETIME' } as const;
