export function alone<T>(folder: string, work: () => Promise<T>): Promise<T>;
