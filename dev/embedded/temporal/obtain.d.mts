export type ObtainOptions = {
  env: Record<string, string | undefined>;
  step: <T>(title: string, work: () => Promise<T>) => Promise<T>;
  say: (line: string) => void;
  signal?: AbortSignal;
};
export function obtainTemporal(options: ObtainOptions): Promise<string>;
