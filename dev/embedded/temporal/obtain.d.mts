export type ObtainOptions = {
  env: Record<string, string | undefined>;
  step: <T>(title: string, work: () => Promise<T>) => Promise<T>;
  say: (line: string) => void;
  signal?: AbortSignal;
  downloads?: string;
  /** SHA-256 of the archives by platform, such as `linux-amd64`. */
  archives?: Record<string, string>;
};
export function obtainTemporal(options: ObtainOptions): Promise<string>;
