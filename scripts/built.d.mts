export const ALWAYS_READ: readonly string[];
export function builtFolder(root: string): string;
export function digestOf(root: string, files: readonly string[]): string | null;
export function isBuilt(root: string): boolean;
