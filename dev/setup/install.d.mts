export function isInstalled(root: string): boolean;
export function install(options: { root: string; env: Record<string, string | undefined> }): Promise<void>;
export function verifyNode(root: string): Promise<void>;
export function runNode(root: string, script: string): Promise<void>;
