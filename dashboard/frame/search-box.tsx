import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef } from 'react';
import { isTyping } from '../parts/list-keys.ts';
import { useSharedTexts } from '../texts/shared.ts';

/** Finds anything by anything; `/` leads here from wherever one is. */
export function SearchBox() {
  const { frame } = useSharedTexts();
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const { query = '' } = useSearch({ strict: false }) as { query?: string };
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyping(event)) return;
      event.preventDefault();
      input.current?.select();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void navigate({ to: '/search', search: { query: input.current?.value.trim() } });
  };
  return (
    <search>
      <form className="search" onSubmit={submit}>
        <input
          ref={input}
          key={query}
          type="search"
          name="query"
          defaultValue={query}
          aria-label={frame.search}
          aria-keyshortcuts="/"
          placeholder={frame.searchHint}
          autoComplete="off"
          spellCheck={false}
        />
        <span className="slash" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  );
}
