/**
 * Runs inside the frame that shows a document while it is being written: receives it piece by piece and writes it, as a
 * slow network would. The policy of the frame allows this script only, so nothing of the document runs.
 */
(() => {
  const { base: dashboard } = document.currentScript.dataset;
  /** Near the end counts as the end, in pixels. Somebody who scrolls further up wants to stay there. */
  const NEAR = 160;
  let isOpen = false;
  let isFollowing = true;
  let top = 0;

  const follow = () => {
    const { scrollHeight } = document.documentElement ?? { scrollHeight: 0 };
    if (!isFollowing || scrollHeight <= innerHeight) return;
    scrollTo({ top: scrollHeight, behavior: 'smooth' });
  };
  const noteScroll = () => {
    const { scrollHeight } = document.documentElement;
    if (scrollY < top - 1) isFollowing = false;
    if (scrollY + innerHeight > scrollHeight - NEAR) isFollowing = true;
    top = scrollY;
  };
  const receive = ({ source, origin, data }) => {
    if (source !== parent || origin !== dashboard || typeof data?.piece !== 'string') return;
    if (!isOpen) {
      isOpen = true;
      document.open();
      // Opening a document removes the listeners of the window.
      addEventListener('message', receive);
      addEventListener('scroll', noteScroll, { passive: true });
    }
    document.write(data.piece);
    requestAnimationFrame(follow);
  };
  addEventListener('message', receive);
  parent.postMessage({ growing: 'ready' }, dashboard);
})();
