import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import { recall, remember } from '../api/remembered.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

interface Choice {
  readonly theme: Theme;
  choose(theme: Theme): void;
}

const ThemeContext = createContext<Choice>({ theme: 'system', choose: () => {} });

const initial = (): Theme => themes.find((one) => one === recall('theme')) ?? 'system';

export function ThemeProvider({ children }: { children: ReactNode }) {
  const [theme, choose] = useState<Theme>(initial);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    remember('theme', theme);
  }, [theme]);
  const choice = useMemo(() => ({ theme, choose }), [theme]);
  return <ThemeContext value={choice}>{children}</ThemeContext>;
}

export const useTheme = (): Choice => use(ThemeContext);
