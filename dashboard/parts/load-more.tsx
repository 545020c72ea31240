import type { ListQuery } from '../api/queries.ts';
import { useSharedTexts } from '../texts/shared.ts';
import { Button } from './button.tsx';

interface LoadMoreProps {
  readonly of: Pick<ListQuery<{ id: string }>, 'hasNextPage' | 'isFetchingNextPage'> & {
    readonly fetchNextPage: () => Promise<unknown>;
  };
}

/** Shows the next page of a list below what is shown of it; nothing where there is none. */
export function LoadMore({ of: { hasNextPage, isFetchingNextPage, fetchNextPage } }: LoadMoreProps) {
  const { parts } = useSharedTexts();
  if (!hasNextPage) return null;
  return (
    <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
      {parts.loadMore}
    </Button>
  );
}
