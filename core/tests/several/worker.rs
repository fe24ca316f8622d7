//! A thread that does what it is told, one thing at a time, and holds the scopes it began.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, spawn};

use xtimer_core::Enabled;

/// What lives on the thread: the scopes that have not ended.
#[derive(Default)]
pub struct Local {
    pub scopes: Vec<Enabled>,
}

type Task = Box<dyn FnOnce(&mut Local) + Send>;

pub struct Worker {
    tasks: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    pub fn begin() -> Self {
        let (tasks, told): (_, Receiver<Task>) = channel();
        let thread = spawn(move || {
            let mut local = Local::default();
            for task in told {
                task(&mut local);
            }
            // The thread's end is what ends its scopes.
            std::mem::forget(local);
        });
        Self { tasks: Some(tasks), thread: Some(thread) }
    }

    /// Does `work` there, and waits for what it comes to.
    pub fn run<R: Send + 'static>(&self, work: impl FnOnce(&mut Local) -> R + Send + 'static) -> R {
        let (answer, answered) = channel();
        let task: Task = Box::new(move |local| drop(answer.send(work(local))));
        self.tasks.as_ref().expect("it has not ended").send(task).expect("it listens");
        answered.recv().expect("the work did not panic")
    }

    /// Ends the thread, in the middle of whatever is open.
    pub fn end(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no task panicked");
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.tasks = None;
        // When a comparison failed the thread is of no interest any more.
        drop(self.thread.take().map(JoinHandle::join));
    }
}
