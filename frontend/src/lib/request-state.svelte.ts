/** The state of the requests of a component: whether a request runs, and the error of the last request. */
export class RequestState {
  busy = $state(false);
  error = $state(''); // an empty string: there was no error

  /** Run a request unless another one runs, and return its result. After an error, keep its message, and return null. */
  async run<T>(request: () => Promise<T>): Promise<T | null> {
    if (this.busy) return null;
    [this.busy, this.error] = [true, ''];
    try {
      return await request();
    } catch (error) {
      this.error = (error as Error).message;
      return null;
    } finally {
      this.busy = false;
    }
  }
}
