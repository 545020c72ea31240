import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { forgetSession, queryClient } from './api/query-client.ts';
import { whenSessionEnds } from './api/session-fetch.ts';
import { ThemeProvider } from './frame/theme.tsx';
import { router } from './router.tsx';
import './style/index.css';
import { LanguageProvider } from './texts/language.tsx';
import { trustTheEmptyText } from './trusted-types.ts';

const SIGN_IN = '/sign-in';

whenSessionEnds(() => {
  const { pathname, href } = router.state.location;
  if (pathname === SIGN_IN || queryClient.getQueryData(['session']) === undefined) return;
  // The screen is left before what it shows is forgotten.
  void router.navigate({ to: SIGN_IN, search: { to: href }, replace: true }).then(forgetSession);
});

trustTheEmptyText();
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no place for the dashboard');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <LanguageProvider>
        <ThemeProvider>
          <RouterProvider router={router} />
        </ThemeProvider>
      </LanguageProvider>
    </QueryClientProvider>
  </StrictMode>,
);
