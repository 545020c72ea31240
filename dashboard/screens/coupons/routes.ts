import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../root-routes.tsx';

const coupons = createRoute({
  getParentRoute: () => frameRoute,
  path: '/coupons',
  component: lazyRouteComponent(() => import('./coupons.tsx'), 'Coupons'),
});

const coupon = createRoute({
  getParentRoute: () => frameRoute,
  path: '/coupons/$id',
  component: lazyRouteComponent(() => import('./coupon.tsx'), 'CouponScreen'),
});

export const couponRoutes = [coupons, coupon] as const;
