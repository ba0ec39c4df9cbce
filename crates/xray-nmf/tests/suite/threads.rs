//! Pools and ranks: no rank ever waits for a worker that another one keeps.

use std::sync::mpsc::channel;
use std::time::Duration;

use crate::support::problems::{Kind, Random, problem};
use xray_nmf::comm::{Communicator, run_local_ranks};
use xray_nmf::{Error, Fit, Ownership, Params, Portion, Refine, Selection, fit, with_threads};

#[test]
fn five_ranks_on_two_workers_come_to_an_end() {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let grid = problem(Kind::Uniform, 30, 700, &mut Random(55));
        let x = grid.sparse();
        let params = Params { selection: Selection::Greedy, ..Params::new(6) };
        let whole = fit(&x, &params).unwrap().anchors();
        let all = with_threads(Some(2), || {
            run_local_ranks(5, |comm| {
                let columns = x.columns_of(&Ownership::columns(700, comm));
                let own: Vec<usize> = if comm.rank() == 0 { (0..30).collect() } else { vec![] };
                let rows = x.rows_at(&own);
                let portion = Portion { columns: &columns, rows: Some(&rows), n_columns: 700 };
                let found = Fit::part(portion, comm).run(&params).unwrap();
                Refine::part(portion, comm).run(found.factors(comm).unwrap()).unwrap();
                found.anchors()
            })
        });
        sender.send((whole, all.unwrap())).unwrap();
    });
    let (whole, all) = receiver.recv_timeout(Duration::from_secs(60)).expect("no deadlock");
    assert_eq!(all, vec![whole; 5]);
}

#[test]
fn pools_have_the_size_asked_for_and_the_stack_of_a_main_thread() {
    for threads in [1, 3] {
        assert_eq!(with_threads(Some(threads), rayon::current_num_threads), Ok(threads));
    }
    for refused in [0, 1025] {
        let error = with_threads(Some(refused), || ()).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "threads", .. }), "{error}");
    }
    // More than the two MiB that a thread usually gets.
    assert_eq!(with_threads(Some(1), || depth(3 << 10)), Ok(3 << 10));
}

/// Calls itself so often, with a KiB of stack each time.
#[inline(never)]
fn depth(n: usize) -> usize {
    let kibibyte = std::hint::black_box([1u8; 1024]);
    if n == 0 { 0 } else { depth(n - 1) + usize::from(kibibyte[n % 1024]) }
}
