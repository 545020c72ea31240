import { useNavigate } from '@tanstack/react-router';

/** Changes what the address says of the filters; undefined takes one away. The way back leads out of the list at once. */
export function useSetFilters(): (changes: Readonly<Record<string, string | undefined>>) => void {
  const navigate = useNavigate();
  return (changes) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, ...changes }),
      replace: true,
      resetScroll: false,
    });
}
