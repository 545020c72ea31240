export function obtainTemporal(options: {
  env: Record<string, string | undefined>;
  signal?: AbortSignal;
}): Promise<string>;
