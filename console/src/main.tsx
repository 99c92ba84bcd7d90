import { RouterProvider } from '@tanstack/react-router';
import { mount } from './parts/mount.tsx';
import { keepOperatorToken } from './parts/operator-token.ts';
import { router } from './router.tsx';

keepOperatorToken();
await mount(<RouterProvider router={router} />);
