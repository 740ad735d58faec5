// Scrolls to the end, SCREENS screens at most, and back.
(async () => {
  const rest = () => new Promise(done => setTimeout(done, 100));
  for (let screen = 0; screen < SCREENS; screen++) {
    const before = scrollY;
    scrollBy(0, innerHeight);
    await rest();
    if (scrollY <= before) break;
  }
  scrollTo(0, 0);
})()
