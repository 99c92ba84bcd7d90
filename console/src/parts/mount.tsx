import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './calls.ts';
import './library.css';
import './console.css';
import { styleNonce } from './place.ts';
import { loadTexts, TextsProvider } from './texts.tsx';
import { theme, variables } from './theme.ts';

/** Shows a page, in the language that the gateway has chosen for it. */
export async function mount(page: ReactNode): Promise<void> {
  // Mantine's dialogs lock the scrollbar with a style element of another library, which reads this.
  Object.assign(globalThis, { __webpack_nonce__: styleNonce });

  // The gateway keeps the language that an address asks for. The user may choose another one here.
  const address = new URL(location.href);
  address.searchParams.delete('ui_locale');
  history.replaceState(history.state, '', address);

  const locale = document.documentElement.lang;
  const catalogue = await loadTexts(locale);
  const queries = createQueryClient();

  createRoot(document.querySelector('#console') as HTMLElement).render(
    <StrictMode>
      <TextsProvider locale={locale} catalogue={catalogue}>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={variables}
          defaultColorScheme="auto"
          getStyleNonce={() => styleNonce}
        >
          <Notifications position="bottom-right" />
          <QueryClientProvider client={queries}>{page}</QueryClientProvider>
        </MantineProvider>
      </TextsProvider>
    </StrictMode>,
  );
}
